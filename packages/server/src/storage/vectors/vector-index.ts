import type {
  DocumentKey,
  EmbeddingProgress,
  UnembeddedChunk,
  VectorIndex,
} from '../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../ports/tables/knowledge.ts';
import { inTransaction } from '../ports/transactions.ts';
import { firstMissing, PASSAGES_PER_ROW, type PackedChunk, pack } from './chunks.ts';

export interface WaitingDocument extends DocumentKey {
  /** Title or file name. Included in each text to embed. */
  readonly name: string;
  readonly passages: number;
}

export interface VectorTables extends Pick<VectorIndex, 'queueStale'> {
  /** Returns the smallest ID greater than `after` of a space with queued documents, or null if there is none. */
  waitingSpace(after: string): Promise<string | null>;
  /** Returns at most `documents` queued documents of a space with numbers greater than `after`, in order of their numbers. */
  waiting(spaceId: string, after: number, documents: number): Promise<readonly WaitingDocument[]>;
  /** Returns the first position of each chunk of a document that has vectors of the model, in ascending order. */
  kept(model: string, document: DocumentKey): Promise<readonly number[]>;
  /** Returns at most `PASSAGES_PER_ROW` passages in order, starting at the position `first`. */
  passages(
    document: DocumentKey,
    first: number,
  ): Promise<readonly { readonly heading: string | null; readonly text: string }[]>;
  /** Locks the documents in the lock order (see `KnowledgeEngine.forUpdate`), if the engine has concurrent writers. */
  lock?(trx: KnowledgeDatabase, documents: readonly DocumentKey[]): Promise<void>;
  /**
   * Inserts the vectors of a chunk if the document still exists. The check must run inside the transaction. Otherwise
   * the document could be deleted in between, and nothing would remove the vectors.
   */
  insertChunk(trx: KnowledgeDatabase, model: string, chunk: PackedChunk): Promise<void>;
}

const BEGINNING: EmbeddingProgress = { lastSpace: '', skipped: new Map() };

export function createVectorIndexOver(db: KnowledgeDatabase, tables: VectorTables): VectorIndex {
  async function* waitingSpacesAfter(id: string): AsyncGenerator<string> {
    for (let space: string | null = id; ; ) {
      space = await tables.waitingSpace(space);
      if (space === null) return;
      yield space;
    }
  }

  /** Yields the spaces with queued documents: first those after `last`, then the others. */
  async function* waitingSpaces(last: string): AsyncGenerator<string> {
    yield* waitingSpacesAfter(last);
    for await (const space of waitingSpacesAfter('')) {
      if (space > last) return;
      yield space;
    }
  }

  /** Returns at most `count` documents: the first of each space, then the second of each space, and so on. */
  async function nextDocuments(
    count: number,
    { lastSpace, skipped }: EmbeddingProgress,
  ): Promise<readonly WaitingDocument[]> {
    const bySpace: (readonly WaitingDocument[])[] = [];
    for await (const space of waitingSpaces(lastSpace)) {
      const documents = await tables.waiting(space, skipped.get(space) ?? 0, count);
      if (documents.length > 0) bySpace.push(documents);
      if (bySpace.length === count) break;
    }
    return Array.from({ length: count }, (_, round) =>
      bySpace.flatMap((documents) => documents[round] ?? []),
    )
      .flat()
      .slice(0, count);
  }

  async function nextChunk(model: string, document: WaitingDocument): Promise<UnembeddedChunk> {
    const { spaceId, number, name, passages } = document;
    const missing = firstMissing(passages, await tables.kept(model, document));
    if (missing === null) return { spaceId, number, first: 0, isLast: true, texts: [] };
    const texts = (await tables.passages(document, missing.first)).map(({ heading, text }) =>
      [name, heading, text].filter((part) => part !== null).join('\n'),
    );
    return { spaceId, number, ...missing, texts };
  }

  return {
    queueStale: tables.queueStale,

    async next(model, documents, progress = BEGINNING) {
      const chunks: UnembeddedChunk[] = [];
      let texts = 0;
      for (const document of await nextDocuments(documents, progress)) {
        const next = await nextChunk(model, document);
        texts += next.texts.length;
        if (chunks.length > 0 && texts > PASSAGES_PER_ROW) break;
        chunks.push(next);
      }
      return chunks;
    },

    async insert(model, chunks) {
      // Computed before the transaction starts, because a transaction blocks other writers and may be retried.
      const packed = chunks.map(pack);
      await inTransaction(db, async (trx) => {
        await tables.lock?.(trx, packed);
        for (const chunk of packed) await tables.insertChunk(trx, model, chunk);
      });
    },
  };
}

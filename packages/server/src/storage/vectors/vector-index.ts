import type {
  DocumentKey,
  KnowledgeDatabase,
  UnembeddedChunk,
  VectorIndex,
} from '../ports/knowledge-engine.ts';
import { inTransaction } from '../ports/transactions.ts';
import { firstMissing, PASSAGES_PER_ROW, type PackedChunk, pack } from './chunks.ts';

/** A ready document that has no vectors of the model, or not all. */
export interface WaitingDocument extends DocumentKey {
  /** What stands above each of its passages. */
  readonly name: string;
  readonly passages: number;
}

/** How an engine reads and writes what an index of vectors consists of. */
export interface VectorTables extends Pick<VectorIndex, 'queueOthers'> {
  /** Those that wait whose numbers are greater, by number. */
  waiting(after: number, documents: number): Promise<readonly WaitingDocument[]>;
  /** Where the chunks begin that the model has made of a document, in order. */
  kept(model: string, document: DocumentKey): Promise<readonly number[]>;
  /** As many passages as a chunk holds, from one on, in order. */
  passages(
    document: DocumentKey,
    first: number,
  ): Promise<readonly { readonly heading: string | null; readonly text: string }[]>;
  /**
   * Deleted while the model worked on it, a document must not get vectors that nobody would remove: its row is asked
   * inside of the transaction.
   */
  insertChunk(trx: KnowledgeDatabase, model: string, chunk: PackedChunk): Promise<void>;
}

export function createVectorIndexOver(db: KnowledgeDatabase, tables: VectorTables): VectorIndex {
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
    queueOthers: tables.queueOthers,

    async next(model, after, documents) {
      const chunks: UnembeddedChunk[] = [];
      let texts = 0;
      for (const document of await tables.waiting(after, documents)) {
        const next = await nextChunk(model, document);
        texts += next.texts.length;
        if (chunks.length > 0 && texts > PASSAGES_PER_ROW) break;
        chunks.push(next);
      }
      return chunks;
    },

    async insert(model, chunks) {
      // Before the transaction, which has a writer alone or may be run again.
      const packed = chunks.map(pack);
      await inTransaction(db, async (trx) => {
        for (const chunk of packed) await tables.insertChunk(trx, model, chunk);
      });
    },
  };
}

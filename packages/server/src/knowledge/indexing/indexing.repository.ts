import { sql } from 'kysely';
import {
  type DocumentKey,
  inReadCommitted,
  type KnowledgeDatabase,
  type KnowledgeEngine,
  prepare,
  runWrites,
  type Write,
} from '../../storage/ports/index.ts';
import { streamParts } from '../documents/document-parts.repository.ts';
import { promote } from '../versions/promote.repository.ts';

export interface QueuedDocument extends DocumentKey {
  readonly fileName: string;
  readonly mimeType: string;
  readonly size: number;
  /** Number of the version that this version replaces. Null for the current version. */
  readonly replaces: number | null;
}

export type IndexingResult =
  | {
      readonly state: 'ready';
      readonly passages: number;
      readonly title: string | null;
      /** Language that the file declares. Applies if the document has no language. */
      readonly declaredLanguage: string | null;
    }
  | { readonly state: 'failed'; readonly failure: string };

export type IndexingRepository = ReturnType<typeof createIndexingRepository>;

/** Creates the repository of the indexer. Its data is never shown to a user, so the queries need no scope. */
export function createIndexingRepository(engine: KnowledgeEngine) {
  const { db } = engine;
  const findQueued = prepare(db, ({ after, count }: { after: string; count: number }) =>
    db
      .selectFrom('documents')
      .where('state', '=', 'processing')
      .where('space_id', '>', after)
      .orderBy('space_id')
      .orderBy('created_at')
      .orderBy('number')
      .limit(count)
      .select([
        'number',
        'space_id as spaceId',
        'file_name as fileName',
        'mime_type as mimeType',
        'size',
        'replaces',
      ]),
  );
  const countAttempt = prepare(db, ({ spaceId, number }: { spaceId: string; number: number }) =>
    db
      .updateTable('documents')
      .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
      .where('space_id', '=', spaceId)
      .where('number', '=', number)
      .where('state', '=', 'processing')
      .returning('attempts'),
  );
  return {
    /**
     * Returns at most `count` queued documents of the spaces after `spaceId`, ordered by space. The documents of a space are ordered
     * by creation time, so documents that must be reindexed come before newer documents. Searches cannot find a document until it
     * has been reindexed.
     */
    queued(spaceId: string, count: number): Promise<readonly QueuedDocument[]> {
      return findQueued({ after: spaceId, count });
    },

    /**
     * Counts an attempt before any work that could end the process. Returns the number of attempts, or `null` if the document is
     * no longer queued: its passages must not be removed then.
     */
    async startAttempt({ spaceId, number }: QueuedDocument): Promise<number | null> {
      const [row] = await countAttempt({ spaceId, number });
      return row?.attempts ?? null;
    },

    /** Reverts `startAttempt` after an intentional stop. */
    async cancelAttempt({ spaceId, number }: QueuedDocument): Promise<void> {
      await db
        .updateTable('documents')
        .set(({ eb }) => ({ attempts: eb('attempts', '-', 1) }))
        .where('space_id', '=', spaceId)
        .where('number', '=', number)
        .where('state', '=', 'processing')
        .execute();
    },

    original: (document: QueuedDocument) => streamParts(db, document, document.size),

    /**
     * Stores the result. If the state is `ready`, searches can find the document, and a new version of a document replaces the
     * current version. Returns `false` if the document no longer exists.
     *
     * @param passages Writes of the last passages. They are committed with the result, because a commit is slow.
     * @param fence Fence of the term in which the document was indexed; see `Term`.
     */
    finish(
      document: QueuedDocument,
      result: IndexingResult,
      passages: readonly Write[],
      fence: readonly Write[],
    ): Promise<boolean> {
      const { spaceId, number, replaces } = document;
      if (replaces === null)
        return engine.writeIf(finished(db, document, result), [...fence, ...passages]);
      return inReadCommitted(db, async (trx) => {
        const current = trx
          .selectFrom('documents')
          .where('space_id', '=', spaceId)
          .where('number', '=', replaces)
          .select('number');
        await engine.forUpdate(current).execute();
        await runWrites(trx, fence);
        const { numUpdatedRows } = await finished(trx, document, result).executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await runWrites(trx, passages);
        if (result.state === 'ready') await promote(trx, engine, spaceId, number);
        return true;
      });
    },
  };
}

function finished(
  db: KnowledgeDatabase,
  { spaceId, number }: QueuedDocument,
  result: IndexingResult,
) {
  return db
    .updateTable('documents')
    .set(columnsOf(result))
    .where('space_id', '=', spaceId)
    .where('number', '=', number)
    .where('state', '=', 'processing');
}

/** A language that was set while the document was indexed takes precedence over the declared language. */
function columnsOf(result: IndexingResult) {
  if (result.state === 'failed') return result;
  const { declaredLanguage, ...columns } = result;
  const language = sql<string | null>`coalesce(language, ${declaredLanguage})`;
  return { ...columns, language };
}

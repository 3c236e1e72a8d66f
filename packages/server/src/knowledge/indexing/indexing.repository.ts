import {
  type DocumentKey,
  inTransaction,
  type KnowledgeEngine,
  type Write,
} from '../../storage/ports/index.ts';
import { readParts } from '../documents/document-parts.repository.ts';

/** A document that waits for the indexer. */
export interface QueuedDocument extends DocumentKey {
  readonly fileName: string;
  readonly mimeType: string;
  readonly language: string | null;
  readonly size: number;
}

/** Result of indexing a document. */
export type IndexingResult =
  | {
      readonly state: 'ready';
      readonly passages: number;
      readonly title: string | null;
      readonly language: string | null;
    }
  | { readonly state: 'failed'; readonly failure: string };

export type IndexingRepository = ReturnType<typeof createIndexingRepository>;

/** Documents as the indexer processes them. Nothing here is shown to a user, so it needs no scope. */
export function createIndexingRepository({ db }: KnowledgeEngine) {
  return {
    /**
     * Returns the oldest queued document of the first space after `spaceId`, so that spaces alternate. A document that
     * is indexed again precedes newer documents, since searches do not find it meanwhile.
     */
    async next(spaceId: string): Promise<QueuedDocument | undefined> {
      return db
        .selectFrom('documents')
        .where('state', '=', 'processing')
        .where('space_id', '>', spaceId)
        .orderBy('space_id')
        .orderBy('created_at')
        .orderBy('number')
        .limit(1)
        .select([
          'number',
          'space_id as spaceId',
          'file_name as fileName',
          'mime_type as mimeType',
          'language',
          'size',
        ])
        .executeTakeFirst();
    },

    /** Counts an attempt, before anything that could end the process. Returns the number of attempts. */
    async startAttempt({ spaceId, number }: QueuedDocument): Promise<number> {
      const row = await db
        .updateTable('documents')
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
        .where('space_id', '=', spaceId)
        .where('number', '=', number)
        .returning('attempts')
        .executeTakeFirst();
      return row?.attempts ?? 0;
    },

    /** Reverts `startAttempt`, because the process stops by intention. */
    async cancelAttempt({ spaceId, number }: QueuedDocument): Promise<void> {
      await db
        .updateTable('documents')
        .set(({ eb }) => ({ attempts: eb('attempts', '-', 1) }))
        .where('space_id', '=', spaceId)
        .where('number', '=', number)
        .where('state', '=', 'processing')
        .execute();
    },

    original: (document: QueuedDocument) => readParts(db, document, document.size),

    /**
     * Stores the result. Until then searches do not find the document. Returns `false` if the document no longer exists.
     *
     * @param fence of the term in which the document was indexed; see `Term`.
     */
    finish(
      { spaceId, number }: QueuedDocument,
      result: IndexingResult,
      fence: readonly Write[],
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        for (const write of fence) await trx.executeQuery(write.compile());
        const { numUpdatedRows } = await trx
          .updateTable('documents')
          .set(result)
          .where('space_id', '=', spaceId)
          .where('number', '=', number)
          .where('state', '=', 'processing')
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      });
    },
  };
}

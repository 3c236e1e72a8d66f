import type { DocumentKey, KnowledgeEngine, Write } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import { readParts } from '../documents/document-parts.repository.ts';

/** A document whose text is to be read. */
export interface UnreadDocument extends DocumentKey {
  readonly fileName: string;
  readonly mimeType: string;
  readonly language: string | null;
  readonly size: number;
}

/** What reading gave. */
export type ReadOutcome =
  | {
      readonly state: 'ready';
      readonly passages: number;
      readonly title: string | null;
      readonly language: string | null;
    }
  | { readonly state: 'failed'; readonly failure: string };

export type IndexingRepository = ReturnType<typeof createIndexingRepository>;

/** The side of documents that only the reading of their texts sees. It shows nothing to anyone, so it needs no scope. */
export function createIndexingRepository({ db }: KnowledgeEngine) {
  return {
    /**
     * The oldest document that waits in the space behind `spaceId`, so that spaces take turns; undefined when
     * none waits there. One that is read anew goes before new ones: it is missing meanwhile.
     */
    async next(spaceId: string): Promise<UnreadDocument | undefined> {
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

    /** Notes that a reading begins, before anything that could end the process. Gives how often it began. */
    async begin({ spaceId, number }: UnreadDocument): Promise<number> {
      const row = await db
        .updateTable('documents')
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
        .where('space_id', '=', spaceId)
        .where('number', '=', number)
        .returning('attempts')
        .executeTakeFirst();
      return row?.attempts ?? 0;
    },

    /** Takes back what `begin` noted: the process ends by intention. */
    async putBack({ spaceId, number }: UnreadDocument): Promise<void> {
      await db
        .updateTable('documents')
        .set(({ eb }) => ({ attempts: eb('attempts', '-', 1) }))
        .where('space_id', '=', spaceId)
        .where('number', '=', number)
        .where('state', '=', 'processing')
        .execute();
    },

    original: (document: UnreadDocument) => readParts(db, document, document.size),

    /**
     * Ends the reading, in one step: until then nothing of it is found. False when the document is gone.
     *
     * @param fence of the term in which it was read; see `Term`.
     */
    finish(
      { spaceId, number }: UnreadDocument,
      outcome: ReadOutcome,
      fence: readonly Write[],
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        for (const write of fence) await trx.executeQuery(write.compile());
        const { numUpdatedRows } = await trx
          .updateTable('documents')
          .set(outcome)
          .where('space_id', '=', spaceId)
          .where('number', '=', number)
          .where('state', '=', 'processing')
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      });
    },
  };
}

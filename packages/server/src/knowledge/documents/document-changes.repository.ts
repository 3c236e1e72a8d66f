import {
  type DocumentRow,
  inTransaction,
  type KnowledgeDatabase,
  type KnowledgeEngine,
  type KnowledgeScope,
} from '../../storage/ports/index.ts';
import { type MetadataWrite, toMetadata, valuesOf } from './document.rules.ts';
import { insertParts } from './document-parts.repository.ts';
import { type IndexedValue, replaceValues } from './document-values.repository.ts';

/** A document to insert, before it is indexed. */
export type NewRow = Omit<
  DocumentRow,
  'number' | 'title' | 'state' | 'failure' | 'attempts' | 'passages' | 'subject'
>;

/** The columns of a document that waits for the indexer. */
export const NOT_INDEXED = {
  title: null,
  state: 'processing',
  failure: null,
  attempts: 0,
  passages: 0,
} as const;

/** Writes documents together with the data derived from them. */
export function createDocumentChanges({ db, index }: KnowledgeEngine) {
  return {
    /** Stores a document and its original durably. Returns `false` if the space no longer exists. */
    insert(row: NewRow, original: Uint8Array, values: readonly IndexedValue[]): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const number = await index.nextNumber(trx, row.space_id);
        if (number === null) return false;
        await trx
          .insertInto('documents')
          .values({ ...row, number, subject: null, ...NOT_INDEXED })
          .execute();
        const document = { spaceId: row.space_id, number };
        await insertParts(trx, document, original);
        await replaceValues(trx, document, [], values);
        return true;
      });
    },

    /** Replaces the metadata and its indexed values. Returns `false` if the document no longer exists. */
    changeMetadata(
      scope: KnowledgeScope,
      number: number,
      { values, ...columns }: MetadataWrite,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const old = await currentValues(trx, scope.spaceId, number);
        if (old === null) return false;
        await trx
          .updateTable('documents')
          .set(columns)
          .where('space_id', '=', scope.spaceId)
          .where('number', '=', number)
          .execute();
        await replaceValues(trx, { spaceId: scope.spaceId, number }, old, values);
        return true;
      });
    },

    async changeLanguage(
      scope: KnowledgeScope,
      number: number,
      language: string,
      time: string,
    ): Promise<void> {
      await db
        .updateTable('documents')
        .set({ language, updated_at: time })
        .where('space_id', '=', scope.spaceId)
        .where('number', '=', number)
        .execute();
    },

    /** Queues a document whose extraction failed for the indexer. */
    async retryIndexing(scope: KnowledgeScope, number: number): Promise<void> {
      await db
        .updateTable('documents')
        .set({ state: 'processing', failure: null, attempts: 0 })
        .where('space_id', '=', scope.spaceId)
        .where('number', '=', number)
        .where('state', '=', 'failed')
        .execute();
    },

    /**
     * Changes the format of a document and queues it for the indexer. Searches do not find it until it is indexed.
     * Returns `false` if it no longer exists.
     */
    changeFormat(
      { spaceId }: KnowledgeScope,
      number: number,
      { mimeType, time }: { readonly mimeType: string; readonly time: string },
      original: Uint8Array,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const values = await currentValues(trx, spaceId, number);
        const next = values === null ? null : await index.renumber(trx, spaceId, number);
        if (values === null || next === null) return false;
        await trx
          .updateTable('documents')
          .set({ mime_type: mimeType, updated_at: time, ...NOT_INDEXED })
          .where('space_id', '=', spaceId)
          .where('number', '=', next)
          .execute();
        await insertParts(trx, { spaceId, number: next }, original);
        await replaceValues(trx, { spaceId, number }, values, []);
        await replaceValues(trx, { spaceId, number: next }, [], values);
        return true;
      });
    },

    /** Deletes a document, which disappears at once. The indexer cleans up its passages later. */
    async remove(scope: KnowledgeScope, number: number): Promise<void> {
      await inTransaction(db, async (trx) => {
        const old = await currentValues(trx, scope.spaceId, number);
        if (old === null) return;
        await trx
          .deleteFrom('documents')
          .where('space_id', '=', scope.spaceId)
          .where('number', '=', number)
          .execute();
        await replaceValues(trx, { spaceId: scope.spaceId, number }, old, []);
        await index.noteRemains(trx, { spaceId: scope.spaceId, number });
      });
    },
  };
}

/**
 * Returns the values of a document within this transaction. Values of an earlier read could miss values that a
 * concurrent change inserted, and filters would find the document by them.
 */
async function currentValues(
  trx: KnowledgeDatabase,
  spaceId: string,
  number: number,
): Promise<IndexedValue[] | null> {
  const row = await trx
    .selectFrom('documents')
    .where('space_id', '=', spaceId)
    .where('number', '=', number)
    .select('metadata')
    .executeTakeFirst();
  return row === undefined ? null : valuesOf(toMetadata(row.metadata));
}

import type {
  DocumentRow,
  KnowledgeDatabase,
  KnowledgeEngine,
  KnowledgeScope,
} from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import { type MetadataWrite, toMetadata, valuesOf } from './document.rules.ts';
import { insertParts } from './document-parts.repository.ts';
import { type IndexedValue, replaceValues } from './document-values.repository.ts';

/** A document to be stored; its texts are not read yet. */
export type NewRow = Omit<
  DocumentRow,
  'number' | 'title' | 'state' | 'failure' | 'attempts' | 'passages' | 'subject'
>;

/** The columns of a document whose text is to be read. */
export const UNREAD = {
  title: null,
  state: 'processing',
  failure: null,
  attempts: 0,
  passages: 0,
} as const;

/** What is written of documents, and what has to stay in step with it. */
export function createDocumentChanges({ db, index }: KnowledgeEngine) {
  return {
    /** Stores a document and its original; when this resolves they are on disk. False when the space is gone. */
    insert(row: NewRow, original: Uint8Array, values: readonly IndexedValue[]): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const number = await index.nextNumber(trx, row.space_id);
        if (number === null) return false;
        await trx
          .insertInto('documents')
          .values({ ...row, number, subject: null, ...UNREAD })
          .execute();
        const document = { spaceId: row.space_id, number };
        await insertParts(trx, document, original);
        await replaceValues(trx, document, [], values);
        return true;
      });
    },

    /** Replaces the metadata and, in step with it, the values. False when the document is gone. */
    changeMetadata(
      scope: KnowledgeScope,
      number: number,
      { values, ...columns }: MetadataWrite,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const old = await valuesNow(trx, scope.spaceId, number);
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

    /** Has a document that failed read again. */
    async retryRead(scope: KnowledgeScope, number: number): Promise<void> {
      await db
        .updateTable('documents')
        .set({ state: 'processing', failure: null, attempts: 0 })
        .where('space_id', '=', scope.spaceId)
        .where('number', '=', number)
        .where('state', '=', 'failed')
        .execute();
    },

    /**
     * Has a document read anew as another kind of file; until it is read, it is not found. False when it is gone.
     *
     * @param original its bytes.
     */
    readAs(
      { spaceId }: KnowledgeScope,
      number: number,
      { mimeType, time }: { readonly mimeType: string; readonly time: string },
      original: Uint8Array,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const values = await valuesNow(trx, spaceId, number);
        const next = values === null ? null : await index.renumber(trx, spaceId, number);
        if (values === null || next === null) return false;
        await trx
          .updateTable('documents')
          .set({ mime_type: mimeType, updated_at: time, ...UNREAD })
          .where('space_id', '=', spaceId)
          .where('number', '=', next)
          .execute();
        await insertParts(trx, { spaceId, number: next }, original);
        await replaceValues(trx, { spaceId, number }, values, []);
        await replaceValues(trx, { spaceId, number: next }, [], values);
        return true;
      });
    },

    /** Deletes a document, from everyone's sight at once; what it leaves is removed by and by. */
    async remove(scope: KnowledgeScope, number: number): Promise<void> {
      await inTransaction(db, async (trx) => {
        const old = await valuesNow(trx, scope.spaceId, number);
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
 * The values of a document as they are inside of this transaction: taken from an earlier read, they
 * could leave behind what somebody else's change put in, and a filter would find it by that.
 */
async function valuesNow(
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

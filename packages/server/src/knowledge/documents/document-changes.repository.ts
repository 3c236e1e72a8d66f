import type { JsonObject } from '@gatehouse/filter';
import { actionWrites, recordAction } from '../../platform/audit/index.ts';
import {
  type DocumentRow,
  inReadCommitted,
  inTransaction,
  type KnowledgeDatabase,
  type KnowledgeEngine,
  type KnowledgeScope,
  prepare,
  prepareWrite,
  runWrites,
  type Write,
} from '../../storage/ports/index.ts';
import { type Content, numberFor } from '../uploads/content.ts';
import { createVersionHistory } from '../versions/version-history.repository.ts';
import { metadataColumns, storedValues, toMetadata, valuesOf } from './document.rules.ts';
import { insertParts, ownBytes, partWrites } from './document-parts.repository.ts';
import { type IndexedValue, replaceValues, valueWrites } from './document-values.repository.ts';
import { lockDocuments } from './lock-documents.repository.ts';
import { sameMetadata } from './metadata.rules.ts';

export type NewRow = Omit<
  DocumentRow,
  | 'number'
  | 'title'
  | 'given_title'
  | 'url'
  | 'state'
  | 'failure'
  | 'attempts'
  | 'passages'
  | 'subject'
  | 'external_key'
  | 'replaces'
  | 'next_number'
  | 'projection_id'
  | 'embedded_by'
> &
  Partial<Pick<DocumentRow, 'given_title' | 'url'>>;

/** Properties of a document that change without a new file. Omitted properties keep their values. */
export type PropertiesWrite = Partial<Pick<DocumentRow, 'language' | 'given_title' | 'url'>> &
  Pick<DocumentRow, 'updated_at'> & { readonly metadata?: JsonObject };

/** Column values that queue a document for the indexer. */
export const NOT_INDEXED = {
  title: null,
  state: 'processing',
  failure: null,
  attempts: 0,
  passages: 0,
} as const;

const INSERTED = [
  'id',
  'space_id',
  'number',
  'file_name',
  'file_name_folded',
  'mime_type',
  'language',
  'given_title',
  'url',
  'size',
  'sha256',
  'metadata',
  'metadata_folded',
  'metadata_collected',
  'created_at',
  'updated_at',
] as const;

type InsertedRow = {
  [Name in Exclude<(typeof INSERTED)[number], 'number'>]: DocumentRow[Name];
} & { readonly number: number };

export function createDocumentChanges(engine: KnowledgeEngine) {
  const { db, index } = engine;
  const history = createVersionHistory(db);
  const findFile = prepare(
    db,
    ({ spaceId, sha256, fileName }: { spaceId: string; sha256: string; fileName: string }) =>
      db
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .where('sha256', '=', sha256)
        .where('file_name', '=', fileName)
        .where('subject', 'is', null)
        .where('external_key', 'is', null)
        .select('number')
        .limit(1),
  );
  const insertRow = prepareWrite<InsertedRow>((row) =>
    db.insertInto('documents').values({
      ...(Object.fromEntries(INSERTED.map((name) => [name, row[name]])) as InsertedRow),
      ...NOT_INDEXED,
    }),
  );
  /** Locks a document and returns the numbers of its current and newest version. They change when the document is replaced. */
  async function lockNumbers(trx: KnowledgeDatabase, spaceId: string, id: string) {
    const ofDocument = trx
      .selectFrom('documents')
      .where('space_id', '=', spaceId)
      .where('id', '=', id)
      .select(['number', 'next_number']);
    const [numbers] = await lockDocuments(engine, ofDocument);
    return numbers;
  }

  return {
    /**
     * Reports whether the space has an uploaded document with the same bytes and name, in any scope. Ignores documents with a key
     * or a subject.
     */
    async hasFile(spaceId: string, file: { sha256: string; fileName: string }): Promise<boolean> {
      return (await findFile({ spaceId, ...file })).length > 0;
    },

    /** Stores a document and its original durably. Returns `false` if the space no longer exists. */
    async insert(
      row: NewRow,
      original: Content,
      values: readonly IndexedValue[],
      joined: readonly Write[] = [],
    ): Promise<boolean> {
      const spaceId = row.space_id;
      const insertWrites = (number: number): Write[] => [
        insertRow({ given_title: null, url: null, ...row, number }),
        ...partWrites(db, { spaceId, number }, original, ownBytes),
        ...valueWrites(db, { spaceId, number }, [], values),
        ...actionWrites(db, { action: 'document.created', spaceId, resourceId: row.id }),
        ...joined,
      ];
      if (original instanceof Uint8Array) {
        const number = await index.reserveNumber(spaceId);
        return number !== null && engine.writeIf(index.spaceExists(spaceId), insertWrites(number));
      }
      return inTransaction(db, async (trx) => {
        const number = await numberFor(engine, trx, spaceId, original);
        if (number !== null) await runWrites(trx, insertWrites(number));
        return number !== null;
      });
    },

    /**
     * Changes properties of the newest version of a document and, if `metadata` is given, replaces the metadata and its indexed
     * values. A title and a URL also change in the current version. Returns `false` if the document no longer exists.
     */
    changeProperties(
      { spaceId }: KnowledgeScope,
      id: string,
      { metadata, ...columns }: PropertiesWrite,
    ): Promise<boolean> {
      return inReadCommitted(db, async (trx) => {
        const document = await lockNumbers(trx, spaceId, id);
        if (document === undefined) return false;
        const number = document.next_number ?? document.number;
        const old = await storedProperties(trx, spaceId, number);
        if (old === undefined) return false;
        const { given_title, url } = columns;
        if (isChange(old, metadata, columns))
          await runWrites(trx, history.keepWrites(spaceId, id, number));
        if (document.next_number !== null && (given_title !== undefined || url !== undefined))
          await trx
            .updateTable('documents')
            .set({
              ...(given_title === undefined ? {} : { given_title }),
              ...(url === undefined ? {} : { url }),
            })
            .where('space_id', '=', spaceId)
            .where('number', '=', document.number)
            .execute();
        await trx
          .updateTable('documents')
          .set({ ...columns, ...(metadata === undefined ? {} : metadataColumns(metadata)) })
          .where('space_id', '=', spaceId)
          .where('number', '=', number)
          .execute();
        if (metadata !== undefined)
          await replaceValues(trx, { spaceId, number }, storedValues(old), valuesOf(metadata));
        const { updated_at: _, ...changed } = columns;
        await recordAction(trx, {
          action: 'document.changed',
          spaceId,
          resourceId: id,
          details: {
            changed: [...Object.keys(changed), ...(metadata === undefined ? [] : ['metadata'])],
          },
        });
        return true;
      });
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
     * Changes the format of a document and queues it for the indexer. Searches do not find the document until it is indexed.
     * Returns `false` if the document no longer exists.
     */
    changeFormat(
      { spaceId }: KnowledgeScope,
      { id, number }: { readonly id: string; readonly number: number },
      { mimeType, time }: { readonly mimeType: string; readonly time: string },
      original: Content,
    ): Promise<boolean> {
      return inReadCommitted(db, async (trx) => {
        const document = await lockNumbers(trx, spaceId, id);
        const values =
          document?.number === number ? await currentValues(trx, spaceId, number) : null;
        const next = values === null ? null : await numberFor(engine, trx, spaceId, original);
        if (values === null || next === null) return false;
        await runWrites(trx, history.keepWrites(spaceId, id, number));
        for (const write of index.renumberWrites(spaceId, number, next))
          await trx.executeQuery(write.compile());
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

    /** Deletes a document and all of its versions with immediate effect. The indexer deletes its passages later. */
    async remove({ spaceId }: KnowledgeScope, id: string): Promise<void> {
      await inReadCommitted(db, async (trx) => {
        const document = await lockNumbers(trx, spaceId, id);
        if (document === undefined) return;
        const versions = await trx
          .selectFrom('documents')
          .where('space_id', '=', spaceId)
          .where('replaces', '=', document.number)
          .select('number')
          .orderBy('number')
          .execute();
        for (const { number } of [document, ...versions]) {
          const old = await currentValues(trx, spaceId, number);
          await trx
            .deleteFrom('documents')
            .where('space_id', '=', spaceId)
            .where('number', '=', number)
            .execute();
          await replaceValues(trx, { spaceId, number }, old ?? [], []);
          await runWrites(trx, [index.queueCleanup({ spaceId, number })]);
        }
        await runWrites(trx, history.removeWrites(spaceId, id));
        await recordAction(trx, { action: 'document.deleted', spaceId, resourceId: id });
      });
    },
  };
}

/**
 * Returns the indexed values of a document. Reads them in the transaction of the change: a read before the transaction
 * could miss values of a concurrent change, and filters would still find the document by those values.
 */
async function currentValues(
  trx: KnowledgeDatabase,
  spaceId: string,
  number: number,
): Promise<IndexedValue[] | null> {
  const row = await storedProperties(trx, spaceId, number);
  return row === undefined ? null : storedValues(row);
}

function storedProperties(trx: KnowledgeDatabase, spaceId: string, number: number) {
  return trx
    .selectFrom('documents')
    .where('space_id', '=', spaceId)
    .where('number', '=', number)
    .select(['language', 'given_title', 'url', 'metadata'])
    .executeTakeFirst();
}

/** Reports whether a change of properties differs from the stored properties. */
function isChange(
  stored: Pick<DocumentRow, 'language' | 'given_title' | 'url' | 'metadata'>,
  metadata: JsonObject | undefined,
  { language, given_title, url }: Omit<PropertiesWrite, 'metadata'>,
): boolean {
  return (
    (language !== undefined && language !== stored.language) ||
    (given_title !== undefined && given_title !== stored.given_title) ||
    (url !== undefined && url !== stored.url) ||
    (metadata !== undefined && !sameMetadata(metadata, toMetadata(stored.metadata)))
  );
}

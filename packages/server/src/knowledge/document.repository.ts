import type { DocumentRow, KnowledgeDatabase, KnowledgeEngine } from '../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../ports/knowledge-scope.ts';
import { type ShownRow, toMetadata, valuesOf } from './document.rules.ts';
import { insertParts, streamParts } from './document-parts.repository.ts';
import { type IndexedValue, replaceValues } from './document-values.repository.ts';

/** A document to be stored; its texts are not read yet. */
export type NewRow = Omit<
  DocumentRow,
  'number' | 'title' | 'state' | 'failure' | 'attempts' | 'passages'
>;

export interface MetadataWrite {
  readonly metadata: string;
  readonly metadata_folded: string;
  readonly updated_at: string;
  readonly values: readonly IndexedValue[];
}

const SHOWN = [
  'id',
  'space_id',
  'file_name',
  'mime_type',
  'language',
  'title',
  'size',
  'state',
  'failure',
  'passages',
  'metadata',
  'created_at',
  'updated_at',
] as const;

const NAMED_PER_STATEMENT = 500;

export type DocumentRepository = ReturnType<typeof createDocumentRepository>;

/** Documents in the database. Whoever reads gives a scope, and gets only what lies in it. */
export function createDocumentRepository(engine: KnowledgeEngine) {
  const { db } = engine;
  const inScope = (scope: KnowledgeScope) =>
    engine
      .scanning(scope)
      .selectFrom('documents')
      .where('documents.space_id', '=', scope.spaceId)
      .where(engine.permits(scope));

  return {
    /** Documents in the order of their ids; `count` at most. */
    list(
      scope: KnowledgeScope,
      {
        after,
        state,
        count,
      }: { after: string | null; state?: DocumentRow['state']; count: number },
    ): Promise<ShownRow[]> {
      let query = inScope(scope).select(SHOWN).orderBy('id').limit(count);
      if (after !== null) query = query.where('id', '>', after);
      if (state !== undefined) query = query.where('state', '=', state);
      return query.execute();
    },

    find(scope: KnowledgeScope, id: string): Promise<(ShownRow & { number: number }) | undefined> {
      return inScope(scope)
        .where('id', '=', id)
        .select([...SHOWN, 'number'])
        .executeTakeFirst();
    },

    /** Those of some documents that lie in the scope, with what they are called. */
    async named(
      scope: KnowledgeScope,
      ids: readonly string[],
    ): Promise<{ id: string; file_name: string; mime_type: string }[]> {
      const found = [];
      for (let at = 0; at < ids.length; at += NAMED_PER_STATEMENT)
        found.push(
          ...(await inScope(scope)
            .where('id', 'in', ids.slice(at, at + NAMED_PER_STATEMENT))
            .select(['id', 'file_name', 'mime_type'])
            .execute()),
        );
      return found;
    },

    /** A document with the same bytes and name. */
    findFile(
      scope: KnowledgeScope,
      { sha256, fileName }: { sha256: string; fileName: string },
    ): Promise<(ShownRow & { number: number }) | undefined> {
      return inScope(scope)
        .where('sha256', '=', sha256)
        .where('file_name', '=', fileName)
        .select([...SHOWN, 'number'])
        .executeTakeFirst();
    },

    /** Stores a document and its original; when this resolves they are on disk. */
    async insert(
      row: NewRow,
      original: Uint8Array,
      values: readonly IndexedValue[],
    ): Promise<void> {
      const number = await engine.index.nextNumber(row.space_id);
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('documents')
          .values({ ...row, number, title: null, state: 'processing', failure: null, passages: 0 })
          .execute();
        await insertParts(trx, number, original);
        await replaceValues(trx, { spaceId: row.space_id, number }, [], values);
      });
    },

    /** The bytes that were uploaded, of a document that was found in a scope. */
    parts: (number: number, size: number) => streamParts(db, number, size),

    /** Replaces the metadata and, in step with it, the values. False when the document is gone. */
    changeMetadata(
      scope: KnowledgeScope,
      number: number,
      { values, ...columns }: MetadataWrite,
    ): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const old = await valuesNow(trx, scope, number);
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
    async readAgain(scope: KnowledgeScope, number: number): Promise<void> {
      await db
        .updateTable('documents')
        .set({ state: 'processing', failure: null, attempts: 0 })
        .where('space_id', '=', scope.spaceId)
        .where('number', '=', number)
        .where('state', '=', 'failed')
        .execute();
    },

    /** Deletes a document, from everyone's sight at once; what it leaves is removed by and by. */
    async remove(scope: KnowledgeScope, number: number): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const old = await valuesNow(trx, scope, number);
        if (old === null) return;
        await trx
          .deleteFrom('documents')
          .where('space_id', '=', scope.spaceId)
          .where('number', '=', number)
          .execute();
        await replaceValues(trx, { spaceId: scope.spaceId, number }, old, []);
        await engine.index.noteRemains(trx, number);
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
  { spaceId }: KnowledgeScope,
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

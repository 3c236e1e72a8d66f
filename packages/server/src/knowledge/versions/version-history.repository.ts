import { type Selectable, sql } from 'kysely';
import type { DocumentVersionRow, KnowledgeDatabase, Write } from '../../storage/ports/index.ts';

/** Number of versions of a document that are stored, including the current version. */
const VERSIONS_KEPT = 10;

export type EarlierVersion = Selectable<DocumentVersionRow>;

/**
 * Creates the repository of the earlier versions of documents. Only callers who may change documents may read them: no filter of a
 * link applies to an earlier version.
 */
export function createVersionHistory(db: KnowledgeDatabase) {
  const toWrite = (query: ReturnType<typeof sql>): Write => ({ compile: () => query.compile(db) });
  return {
    /**
     * Returns the writes that keep the version in the row `number` as an earlier version of a document, and remove the oldest
     * version if there are too many. Run them before the row changes, in the same transaction.
     */
    keepWrites(spaceId: string, documentId: string, number: number): Write[] {
      const inDocument = sql`space_id = ${spaceId} and document_id = ${documentId}`;
      const newest = sql`(select max(version) from document_versions where ${inDocument})`;
      const surplus = sql`${inDocument} and version <= ${newest} - ${sql.lit(VERSIONS_KEPT - 1)}`;
      return [
        sql`insert into document_versions (space_id, document_id, version, content, file_name, mime_type,
            language, title, given_title, url, size, sha256, metadata, stored_at)
          select space_id, ${documentId}, coalesce(${newest}, 0) + 1, number, file_name, mime_type,
            language, title, given_title, url, size, sha256, metadata, updated_at
          from documents where space_id = ${spaceId} and number = ${number}`,
        sql`insert into document_remains (space_id, number)
          select distinct space_id, content from document_versions where ${surplus}
            and not exists (
              select 1 from documents
              where documents.space_id = ${spaceId} and documents.number = document_versions.content
            )
          on conflict do nothing`,
        sql`delete from document_versions where ${surplus}`,
      ].map(toWrite);
    },

    /** Returns the writes that remove all earlier versions of a document. Run them after the document was removed. */
    removeWrites(spaceId: string, documentId: string): Write[] {
      const inDocument = sql`space_id = ${spaceId} and document_id = ${documentId}`;
      return [
        sql`insert into document_remains (space_id, number)
          select space_id, content from document_versions where ${inDocument}
          on conflict do nothing`,
        sql`delete from document_versions where ${inDocument}`,
      ].map(toWrite);
    },

    /** Returns the earlier versions of a document, newest first. */
    list: (spaceId: string, documentId: string): Promise<EarlierVersion[]> =>
      db
        .selectFrom('document_versions')
        .where('space_id', '=', spaceId)
        .where('document_id', '=', documentId)
        .selectAll()
        .orderBy('version', 'desc')
        .execute(),

    /** Returns the newest version of a document, which may not be indexed yet. */
    newest: (
      spaceId: string,
      documentId: string,
    ): Promise<Omit<EarlierVersion, 'space_id' | 'document_id' | 'version'> | undefined> =>
      db
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .where('number', '=', (where) =>
          where
            .selectFrom('documents as current')
            .where('current.space_id', '=', spaceId)
            .where('current.id', '=', documentId)
            .where('current.replaces', 'is', null)
            .select(({ fn }) => fn.coalesce('current.next_number', 'current.number').as('newest')),
        )
        .select([
          'number as content',
          'file_name',
          'mime_type',
          'language',
          'title',
          'given_title',
          'url',
          'size',
          'sha256',
          'metadata',
          'updated_at as stored_at',
        ])
        .executeTakeFirst(),
  };
}

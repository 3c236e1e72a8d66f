import { type RawBuilder, sql } from 'kysely';
import {
  type DocumentOrder,
  type DocumentRow,
  type KnowledgeEngine,
  type KnowledgeScope,
  ORDERS,
} from '../../storage/ports/index.ts';
import type { ShownRow } from './document.rules.ts';
import { streamParts } from './document-parts.repository.ts';
import { hasNumberIn } from './lock-documents.repository.ts';

const SHOWN = [
  'id',
  'space_id',
  'external_key',
  'file_name',
  'mime_type',
  'language',
  'title',
  'given_title',
  'url',
  'size',
  'state',
  'failure',
  'passages',
  'metadata',
  'created_at',
  'updated_at',
  'projection_id',
] as const;

const NAMED = [
  'id',
  'file_name',
  'mime_type',
  'title',
  'given_title',
  'url',
  'updated_at',
] as const;

/** A document with the properties of its newest version, which may not be indexed yet. */
export interface FoundRow extends ShownRow {
  /** Number of the newest version. */
  readonly number: number;
  /** Null unless the document is a record. */
  readonly projection_id: string | null;
}

type CurrentRow = FoundRow & Pick<DocumentRow, 'next_number'>;

export type NamedRow = Pick<DocumentRow, (typeof NAMED)[number]>;

/** Maximum number of reads when other requests replace the same documents concurrently. */
const MAX_READS = 10;
const IDS_PER_STATEMENT = 500;
const IDS_PER_PAGE = 5000;
/** Maximum number of documents that a page with a search for text examines. A search for a rare text returns several short pages. */
const MAX_EXAMINED = 100_000;

export interface DocumentListQuery {
  readonly after: string | null;
  /** Default `oldest`. */
  readonly order?: DocumentOrder;
  readonly state?: DocumentRow['state'];
  /** File name that the scope requires. An index then finds the documents. */
  readonly fileName?: string;
  /** ID of the last document that the page may contain. Null: no limit. */
  readonly through?: string | null;
  readonly count: number;
}

export type DocumentRepository = ReturnType<typeof createDocumentRepository>;

/**
 * Creates the repository that reads documents. Every query returns only documents in its scope.
 *
 * @param maxExamined maximum number of documents that `lastExamined` counts. Default 100,000.
 */
export function createDocumentRepository(engine: KnowledgeEngine, maxExamined = MAX_EXAMINED) {
  /**
   * Reads documents with the properties of their newest versions. Checks the scope again after it has read the versions,
   * because a document can leave the scope between the queries. Repeats the read if a document has changed in between.
   */
  async function readNewest(
    scope: KnowledgeScope,
    read: () => Promise<readonly CurrentRow[]>,
  ): Promise<FoundRow[]> {
    for (let attempt = 1; ; attempt += 1) {
      const rows = await read();
      const replaced = rows.filter(({ next_number }) => next_number !== null);
      if (replaced.length === 0) return [...rows];
      const versions = await engine.db
        .selectFrom('documents')
        .where(
          hasNumberIn(
            scope.spaceId,
            replaced.flatMap(({ next_number }) => next_number ?? []),
          ),
        )
        .select([...SHOWN, 'number'])
        .execute();
      const ids = replaced.map(({ id }) => id);
      const visible = await engine.documents(scope, (inScope) =>
        inScope.where('id', 'in', ids).select(['id', 'next_number']),
      );
      const byNumber = new Map(versions.map((version) => [version.number, version]));
      const byId = new Map(visible.map(({ id, next_number }) => [id, next_number]));
      const found = rows.flatMap((row) => {
        if (row.next_number === null) return [row];
        const version = byNumber.get(row.next_number);
        if (version === undefined || byId.get(row.id) !== row.next_number) return [];
        const { id, external_key, created_at, passages } = row;
        return [{ ...version, id, external_key, created_at, passages }];
      });
      if (found.length === rows.length || attempt === MAX_READS) return found;
    }
  }

  return {
    /** Returns at most `count` documents that follow the ID `after`, ordered by ID. Records are omitted. */
    async list(scope: KnowledgeScope, query: DocumentListQuery): Promise<ShownRow[]> {
      return readNewest(scope, () => readPage(engine, scope, query));
    },

    /**
     * Returns the ID of the last document that a search for text examines after an ID, or null if the search examines all further
     * documents. The document may be outside of the scope, so a search of a link always examines all documents.
     */
    async lastExamined(
      scope: KnowledgeScope,
      after: string | null,
      order: DocumentOrder,
    ): Promise<string | null> {
      if (scope.isOfLink) return null;
      const by = ORDERS[order];
      const row = await engine.db
        .selectFrom('documents')
        .where('space_id', '=', scope.spaceId)
        .where('id', by.after, after ?? by.start)
        .orderBy('id', by.direction)
        .offset(maxExamined - 1)
        .limit(1)
        .select('id')
        .executeTakeFirst();
      return row?.id ?? null;
    },

    async count(scope: KnowledgeScope): Promise<number> {
      let count = 0;
      let after: string | null = null;
      for (;;) {
        const ids: { readonly id: string }[] = await engine.documents(
          scope,
          (inScope) => inScope.select('id'),
          { after, count: IDS_PER_PAGE },
        );
        count += ids.length;
        if (ids.length < IDS_PER_PAGE) return count;
        after = ids.at(-1)?.id ?? null;
      }
    },

    async find(scope: KnowledgeScope, id: string): Promise<FoundRow | undefined> {
      const read = () =>
        engine.documents(scope, (inScope) =>
          inScope.where('id', '=', id).select([...SHOWN, 'number', 'next_number']),
        );
      const [row] = await readNewest(scope, read);
      return row;
    },

    /** Returns the names, titles and URLs of the given documents. Documents outside the scope are omitted. */
    async named(scope: KnowledgeScope, ids: readonly string[]): Promise<NamedRow[]> {
      const found: NamedRow[] = [];
      for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT)
        found.push(
          ...(await engine.documents(scope, (inScope) =>
            inScope.where('id', 'in', ids.slice(at, at + IDS_PER_STATEMENT)).select(NAMED),
          )),
        );
      return found;
    },

    /** Returns the uploaded document with the same bytes and name. Ignores documents with a key or a subject. */
    async findFile(
      scope: KnowledgeScope,
      { sha256, fileName }: { sha256: string; fileName: string },
    ): Promise<FoundRow | undefined> {
      const [row] = await engine.documents(scope, (inScope) =>
        inScope
          .where('sha256', '=', sha256)
          .where('file_name', '=', fileName)
          .where('subject', 'is', null)
          .where('external_key', 'is', null)
          .select([...SHOWN, 'number']),
      );
      return row;
    },

    /** Streams the original of a document. The caller must have found the document in the scope. */
    parts: ({ spaceId }: KnowledgeScope, number: number, size: number) =>
      streamParts(engine.db, { spaceId, number }, size),
  };
}

async function readPage(
  engine: KnowledgeEngine,
  scope: KnowledgeScope,
  { after, order = 'oldest', state, fileName, through = null, count }: DocumentListQuery,
): Promise<CurrentRow[]> {
  const read = (condition: RawBuilder<boolean>) =>
    engine.documents<CurrentRow>(
      scope,
      (inScope) => {
        let query = inScope.where('projection_id', 'is', null).where(condition);
        if (through !== null) query = query.where('documents.id', ORDERS[order].through, through);
        if (fileName !== undefined) query = query.where(isNamed(scope, fileName));
        return query.select([...SHOWN, 'number', 'next_number']);
      },
      { after, count, order },
    );
  if (state === undefined) return read(sql<boolean>`1 = 1`);
  if (state === 'ready') return read(hasState(state));
  // Partial indexes serve each of the two queries, so that few documents in a state are found among many others.
  const [current, replaced] = await Promise.all([
    read(
      sql<boolean>`(documents.next_number is null and documents.state = ${state} and documents.state <> 'ready')`,
    ),
    read(sql<boolean>`(documents.next_number is not null and ${hasState(state)})`),
  ]);
  const isBefore = (a: string, b: string) => (order === 'oldest' ? a < b : a > b);
  return [...current, ...replaced].sort((a, b) => (isBefore(a.id, b.id) ? -1 : 1)).slice(0, count);
}

/** Returns an SQL condition that an index evaluates. */
function isNamed({ spaceId }: KnowledgeScope, fileName: string): RawBuilder<boolean> {
  return sql<boolean>`documents.id in (
    select named.id from documents as named
    where named.space_id = ${spaceId} and named.file_name = ${fileName})`;
}

/** Returns an SQL condition that is true if the newest version of a document is in the given state. */
function hasState(state: DocumentRow['state']): RawBuilder<boolean> {
  return sql<boolean>`((documents.next_number is null and documents.state = ${state}) or exists (
    select 1 from documents as version
    where version.space_id = documents.space_id and version.number = documents.next_number
      and version.state = ${state}))`;
}

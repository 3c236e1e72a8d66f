import type { Filter, FilterNode } from '@gatehouse/filter';
import { indexedPart, narrowing, toPostgres, type ValueLookup } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import { isNotRemoved } from '../../../ports/removed-documents.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';

/**
 * Maximum cost of a filter that PostgreSQL evaluates. For each operator, PostgreSQL searches the JSON of the document again, in up to
 * 20 µs for metadata of 25 kB. A compiled filter takes 0.3 ms for such a document, regardless of the number of operators; see
 * docs/filter-sql.md.
 */
const MAX_COST_IN_SQL = 8;
/** Cost of an operator that reads all strings of the metadata, relative to other operators. */
const SEARCH_COST = 8;

/**
 * Returns a condition that matches `documents` rows in a scope. Use this condition only in statements with a timeout.
 *
 * `offset 0` makes PostgreSQL look up the newer version of a document by its index. Without it, PostgreSQL may read all documents of the space
 * into a hash table when the first document with a newer version is found.
 */
export function permits(scope: KnowledgeScope): RawBuilder<boolean> {
  KnowledgeScope.assert(scope);
  return sql<boolean>`(documents.space_id = ${scope.spaceId} and documents.replaces is null
    and ${matches(scope, 'documents')}
    and ${isNotRemoved(scope.spaceId)}
    and (documents.next_number is null or not exists (
      select from documents as version
      where version.space_id = ${scope.spaceId} and version.replaces = documents.number
        and not ${matches(scope, 'version')} offset 0)))`;
}

/**
 * Returns a condition for reading the documents of a scope. If `isExact` is `true`, the condition is equivalent to `permits`. Otherwise the
 * filter is large: the condition may also match documents outside the scope, and the thread that runs the statement must test the
 * documents with `CompiledFilters` in the same transaction.
 */
export function mayPermit(scope: KnowledgeScope): {
  readonly condition: RawBuilder<boolean>;
  readonly isExact: boolean;
} {
  KnowledgeScope.assert(scope);
  if (!isLarge(scope.filter)) return { condition: permits(scope), isExact: true };
  const part = candidatePart(scope.filter);
  const isCandidate = part === null ? sql`true` : matches({ filter: part }, 'documents');
  const inSpace = sql`documents.space_id = ${scope.spaceId} and documents.replaces is null`;
  return { condition: sql<boolean>`(${inSpace} and ${isCandidate})`, isExact: false };
}

/** Returns the filter of a scope as a condition on a row of `documents` with the given alias. */
function matches({ filter }: Pick<KnowledgeScope, 'filter'>, alias: string): RawBuilder<boolean> {
  const { parts, values } = toPostgres(filter, { documents: alias, metadata: 'metadata_json' });
  return sql<boolean>`(${sql<boolean>(parts, ...values)})`;
}

/** Returns a condition that matches the searchable documents in a scope, under the same conditions as `mayPermit`. */
export function mayBeVisible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${mayPermit(scope).condition}`;
}

/** Maximum number of documents to look up by key. For more documents, a scan of the space is as fast. */
const MAX_LOOKED_UP = 1000;

export type Rows = <Row>(query: RawBuilder<unknown>) => Promise<readonly Row[]>;

export function rowsOf(db: KnowledgeDatabase): Rows {
  return async <Row>(query: RawBuilder<unknown>) => (await query.execute(db)).rows as Row[];
}

/**
 * Returns a `from` item named `documents` that contains all documents of a scope. The item is the whole table, or a few documents
 * that an index finds. It may contain documents outside the scope, so callers must also apply `permits`.
 *
 * PostgreSQL's statistics may be outdated, and a plan based on them can be a thousand times too slow. Each statement is therefore
 * written so that only one plan is possible.
 */
export async function likelyDocuments(
  scope: KnowledgeScope,
  rows: Rows,
): Promise<RawBuilder<unknown>> {
  KnowledgeScope.assert(scope);
  const { lookups, narrowest } = narrowing(scope.filter);
  if (lookups.length === 0) return sql`documents`;
  const found = await rows<{ index: number; count: number }>(countLookups(scope.spaceId, lookups));
  const counts = lookups.map(() => 0);
  for (const { index, count } of found) counts[index] = count;
  const chosen = narrowest(counts);
  return chosen === null || chosen.count > MAX_LOOKED_UP
    ? sql`documents`
    : lookUpDocuments(scope.spaceId, chosen.lookups);
}

function countLookups(spaceId: string, lookups: readonly ValueLookup[]): RawBuilder<unknown> {
  const places = lookups.flatMap(({ values }, index) => values.map(() => index));
  return sql`
    select wanted.index, sum(found.count)::int as count
    from unnest(${places}::int[], ${pathsOf(lookups)}::text[], ${valuesOf(lookups)}::text[])
      as wanted (index, path, value)
    cross join lateral (
      select count(*) as count from (
        select from document_values as v
        where v.space_id = ${spaceId} and v.path = wanted.path and v.value = wanted.value
        limit ${sql.lit(MAX_LOOKED_UP + 1)}
      ) as few
    ) as found
    group by wanted.index`;
}

function lookUpDocuments(spaceId: string, lookups: readonly ValueLookup[]): RawBuilder<unknown> {
  return sql`(
    select documents.*
    from (
      select distinct v.document
      from unnest(${pathsOf(lookups)}::text[], ${valuesOf(lookups)}::text[]) as wanted (path, value)
      cross join lateral (
        select document from document_values as v
        where v.space_id = ${spaceId} and v.path = wanted.path and v.value = wanted.value
        offset 0
      ) as v
    ) as found
    cross join lateral (${documentByKey(spaceId, sql`found.document`)}) as documents
  )`;
}

function pathsOf(lookups: readonly ValueLookup[]): string[] {
  return lookups.flatMap(({ path, values }) => values.map(() => path));
}

function valuesOf(lookups: readonly ValueLookup[]): string[] {
  return lookups.flatMap(({ values }) => [...values]);
}

/**
 * Returns a lookup by primary key for `cross join lateral`. With a plain join, the planner could scan the whole space for each row if its
 * statistics are outdated.
 */
export function documentByKey(spaceId: string, number: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select * from documents
    where documents.space_id = ${spaceId} and documents.number = ${number} limit 1`;
}

export function passageByKey(
  spaceId: string,
  document: RawBuilder<unknown>,
  position: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select heading, text from passages
    where passages.space_id = ${spaceId} and passages.document = ${document}
      and passages.position = ${position} limit 1`;
}

/** Reports whether the service evaluates a filter itself, as a compiled filter, instead of converting the whole filter to SQL. */
function isLarge(filter: Filter): boolean {
  return costOf(filter) > MAX_COST_IN_SQL;
}

/** Returns the part of a large filter that is evaluated in SQL to select candidates. Accepts every document that the filter accepts. */
function candidatePart(filter: Filter): Filter | null {
  const part = indexedPart(filter).filter;
  return isLarge(part) ? null : part;
}

function costOf(node: FilterNode): number {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.members.reduce((sum, member) => sum + costOf(member), 0);
    case 'not':
      return costOf(node.member);
    case 'search':
      return SEARCH_COST;
    default:
      return 1;
  }
}

import type { Filter } from '@gatehouse/filter';
import { indexedPart, toSqlite, type ValuesLayout } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import { isNotRemoved } from '../../ports/removed-documents.ts';

/**
 * A filter with at most this many bound values is always fast. A larger filter calls `in_time` for every row, which
 * takes 0.2 µs per row. Comparisons that search texts always call `in_time`.
 */
const MAX_FAST_VALUES = 12;

/**
 * If more operators than this number read the document itself, an SQL function evaluates the filter. The function parses the metadata
 * once, in 2 µs for small metadata and 0.1 ms for 25 kB. SQL is faster for few operators; see docs/filter-sql.md.
 */
const MAX_OPERATORS_IN_SQL = 16;

/** Implements `KnowledgeEngine.permits`. The connection must define the functions of `limitTime`. */
export function permits(scope: KnowledgeScope): RawBuilder<boolean> {
  return condition(scope, indexOf(scope));
}

/**
 * Returns the same condition as `permits`, without the index of values. Use it when the query has already narrowed the result
 * to a few rows: the index would return every document that has the value.
 */
export function permitsRow(scope: KnowledgeScope): RawBuilder<boolean> {
  return condition(scope, null);
}

/**
 * Returns a condition on the documents of a scope that only uses the index of values. If `isExact` is `true`, the condition is
 * equivalent to `permits`. Otherwise the condition may also match documents outside the scope.
 */
export function mayPermit(scope: KnowledgeScope): {
  readonly condition: RawBuilder<boolean>;
  readonly isExact: boolean;
} {
  KnowledgeScope.assert(scope);
  const { filter, omitted } = indexedPart(scope.filter);
  if (omitted === 0) return { condition: permits(scope), isExact: true };
  const { condition: isCandidate, values } = inSql(filter, 'documents', indexOf(scope));
  const inTime = values <= MAX_FAST_VALUES ? sql`` : sql`and in_time(documents.number)`;
  return {
    condition: sql<boolean>`(documents.replaces is null ${inTime} and ${isCandidate})`,
    isExact: false,
  };
}

function indexOf({ spaceId }: KnowledgeScope): ValuesLayout {
  return { table: 'document_values', document: 'document', key: 'number', spaceId };
}

function condition(scope: KnowledgeScope, index: ValuesLayout | null): RawBuilder<boolean> {
  KnowledgeScope.assert(scope);
  const { condition: isMatch, values } = matches(scope, 'documents', index);
  const inSpace = sql`documents.space_id = ${scope.spaceId} and documents.replaces is null`;
  const inTime = values <= MAX_FAST_VALUES ? sql`` : sql`and in_time(documents.number)`;
  return sql<boolean>`(${inSpace} ${inTime} and ${isMatch}
    and ${isNotRemoved(scope.spaceId)}
    and (documents.next_number is null or not exists (
      select 1 from documents as version
      where version.space_id = ${scope.spaceId} and version.replaces = documents.number
        and not ${matches(scope, 'version', index).condition})))`;
}

/** Returns the filter of a scope as a condition on a row of `documents` with the given alias. */
function matches({ filter }: KnowledgeScope, alias: string, index: ValuesLayout | null): Condition {
  const indexed = indexedPart(filter);
  if (indexed.omitted <= MAX_OPERATORS_IN_SQL) return inSql(filter, alias, index);
  const isAccepted = acceptedByFunction(filter, alias);
  if (index === null) return { condition: isAccepted, values: 0 };
  const { condition, values } = inSql(indexed.filter, alias, index);
  return { condition: sql<boolean>`(${condition} and ${isAccepted})`, values };
}

interface Condition {
  readonly condition: RawBuilder<boolean>;
  /** Number of bound values. 0 if the condition limits its time without calls of `in_time`. */
  readonly values: number;
}

function inSql(filter: Filter, alias: string, index: ValuesLayout | null): Condition {
  const { parts, values } = toSqlite(filter, {
    documents: alias,
    ...(index === null ? {} : { values: index }),
    checkTime: 'in_time',
  });
  return { condition: sql<boolean>`(${sql<boolean>(parts, ...values)})`, values: values.length };
}

/** SQLite evaluates the subquery, which does not depend on the row, once per statement. */
function acceptedByFunction(filter: Filter, alias: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`filter_accepts((select filter_number(${textOf(filter)})),
    ${column('number')}, ${column('file_name')}, ${column('mime_type')}, ${column('language')},
    ${column('created_at')}, ${column('updated_at')}, ${column('metadata')})`;
}

/** JSON texts of filters. The statements of a search contain the text of a large filter four times. */
const texts = new WeakMap<Filter, string>();

function textOf(filter: Filter): string {
  const text = texts.get(filter) ?? JSON.stringify(filter);
  texts.set(filter, text);
  return text;
}

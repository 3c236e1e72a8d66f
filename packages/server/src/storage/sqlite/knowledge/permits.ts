import { toSqlite, type ValuesLayout } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';

/**
 * A filter with at most this many bound values is always fast. A larger filter calls `in_time` for every row, which
 * takes 0.2 µs per row. Comparisons that search texts always call `in_time`.
 */
const MAX_FAST_VALUES = 12;

/** Implements `KnowledgeEngine.permits`. The connection must define `in_time`; see `limitTime`. */
export function permits(scope: KnowledgeScope): RawBuilder<boolean> {
  const { spaceId } = scope;
  return condition(scope, {
    table: 'document_values',
    document: 'document',
    key: 'number',
    spaceId,
  });
}

/**
 * Returns the same condition as `permits`, without the index of values. Use it when the query has already narrowed the result
 * to a few rows: the index would return every document that has the value.
 */
export function permitsRow(scope: KnowledgeScope): RawBuilder<boolean> {
  return condition(scope, null);
}

function condition(scope: KnowledgeScope, index: ValuesLayout | null): RawBuilder<boolean> {
  KnowledgeScope.assert(scope);
  const { condition: isMatch, values } = matches(scope, 'documents', index);
  const inSpace = sql`documents.space_id = ${scope.spaceId} and documents.replaces is null`;
  const inTime = values <= MAX_FAST_VALUES ? sql`` : sql`and in_time(documents.number)`;
  return sql<boolean>`(${inSpace} ${inTime} and ${isMatch}
    and (documents.next_number is null or not exists (
      select 1 from documents as version
      where version.space_id = ${scope.spaceId} and version.replaces = documents.number
        and not ${matches(scope, 'version', index).condition})))`;
}

/** Returns the filter of a scope as a condition on a row of `documents` with the given alias. */
function matches({ filter }: KnowledgeScope, alias: string, index: ValuesLayout | null) {
  const { parts, values } = toSqlite(filter, {
    documents: alias,
    ...(index === null ? {} : { values: index }),
    checkTime: 'in_time',
  });
  return { condition: sql<boolean>`(${sql<boolean>(parts, ...values)})`, values: values.length };
}

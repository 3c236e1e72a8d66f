import { toSqlite } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';

/**
 * Bound values of a filter that is quick for any document, but for the comparisons that look through
 * texts, which ask for time themselves. A larger one asks at each row, which costs 0.2 µs.
 */
const FEW_VALUES = 12;

/** The condition on `documents` that a row lies in a scope; for a thread with a `time-limit.ts`. */
export function permits(scope: KnowledgeScope): RawBuilder<boolean> {
  KnowledgeScope.assert(scope);
  const { parts, values } = toSqlite(scope.filter, {
    documents: 'documents',
    values: {
      table: 'document_values',
      document: 'document',
      key: 'number',
      spaceId: scope.spaceId,
    },
    checkTime: 'in_time',
  });
  const filter = sql<boolean>(parts, ...values);
  const inSpace = sql`documents.space_id = ${scope.spaceId}`;
  return values.length <= FEW_VALUES
    ? sql<boolean>`(${inSpace} and ${filter})`
    : sql<boolean>`(${inSpace} and in_time(documents.number) and ${filter})`;
}

import { toSqlite } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';

/**
 * The condition on `documents` that a row lies in a scope; for a thread with a `time-limit.ts`. At each row,
 * and before each comparison that looks through texts, it is asked whether there is time left: 0.2 µs.
 */
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
  return sql<boolean>`(documents.space_id = ${scope.spaceId} and in_time(documents.number) and ${filter})`;
}

import { toSqlite } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';

/** The condition on `documents` that a row lies in a scope. */
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
  });
  const filter = sql<boolean>(parts, ...values);
  return sql<boolean>`(documents.space_id = ${scope.spaceId} and ${filter})`;
}

import { toPostgres } from '@gatehouse/filter/sql';
import { type RawBuilder, sql } from 'kysely';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';

/** The condition on `documents` that a row lies in a scope; for a statement whose time is limited. */
export function permits(scope: KnowledgeScope): RawBuilder<boolean> {
  KnowledgeScope.assert(scope);
  const layout = { documents: 'documents', metadata: 'metadata_json' };
  const { parts, values } = toPostgres(scope.filter, layout);
  const filter = sql<boolean>(parts, ...values);
  return sql<boolean>`(documents.space_id = ${scope.spaceId} and ${filter})`;
}

/** The same of documents that are found. */
export function visible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permits(scope)}`;
}

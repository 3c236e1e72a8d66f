import type { WorkOwner } from '../../../lib/scheduling/index.ts';
import type { KnowledgeEngine } from '../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../ports/tables/knowledge.ts';
import { permits } from './permits.ts';

/** @param scanningFor returns a database for reads that may scan every document. */
export function createDocumentReads(
  scanningFor: (owner: WorkOwner) => KnowledgeDatabase,
): KnowledgeEngine['documents'] {
  return (scope, query, page) => {
    const inScope = scanningFor(scope)
      .selectFrom('documents')
      .where('documents.space_id', '=', scope.spaceId)
      .where(permits(scope));
    if (page === undefined) return query(inScope).execute();
    const { after, count } = page;
    const ordered = inScope.orderBy('documents.id').limit(count);
    return query(after === null ? ordered : ordered.where('documents.id', '>', after)).execute();
  };
}

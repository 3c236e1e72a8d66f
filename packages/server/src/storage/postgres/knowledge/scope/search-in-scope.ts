import type { ReadThread } from '../../../../lib/threads/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { candidatesOf, selectsOf } from './scope-selects.ts';
import type { SearchRequest, SearchResult } from './search-thread.ts';

export type SearchThread<Request extends SearchRequest> = ReadThread<Request, SearchResult>;

/**
 * Searches in a scope. If the space is not in memory, the search waits until the thread has loaded it. Selects the candidates of the scope
 * only if the thread has not cached the scope.
 */
export async function searchInScope<Request extends SearchRequest>(
  thread: SearchThread<Request>,
  db: KnowledgeDatabase,
  scope: KnowledgeScope,
  request: Omit<Request, keyof SearchRequest>,
  signal?: AbortSignal,
): Promise<readonly RankedPassage[]> {
  let selects = selectsOf(db, scope);
  for (;;) {
    const inScope = { ...request, scope: selects } as Request;
    const result = await thread.read(inScope, scope, signal);
    if (result !== 'scope') return result;
    selects = { ...selects, candidates: await candidatesOf(db, scope) };
  }
}

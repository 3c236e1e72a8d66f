import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { type SearchThread, searchInScope } from '../scope/search-in-scope.ts';
import type { NearestRequest } from './nearest-thread.ts';

export type NearestThread = SearchThread<NearestRequest>;

/**
 * Creates the nearest-neighbour search. If the space is not in memory, the search waits until the thread has loaded it. Passages
 * outside the scope are never compared.
 */
export function createNearest(
  db: KnowledgeDatabase,
  thread: NearestThread,
): KnowledgeEngine['nearest'] {
  return (scope, { model, vector }, limit, signal) =>
    searchInScope(thread, db, scope, { model, vector, limit }, signal);
}

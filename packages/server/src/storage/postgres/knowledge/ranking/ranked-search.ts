import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { type SearchThread, searchInScope } from '../scope/search-in-scope.ts';
import type { RankingRequest } from './ranking-thread.ts';

export type RankingThread = SearchThread<RankingRequest>;

/** Creates the keyword search. If the space is not in memory, the search waits until the thread has loaded it. */
export function createRankedSearch(
  db: KnowledgeDatabase,
  thread: RankingThread,
): KnowledgeEngine['search'] {
  return (scope, query, limit, signal) =>
    searchInScope(thread, db, scope, { query, limit }, signal);
}

import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { askInScope, type SearchThread } from '../scope/ask-in-scope.ts';
import type { RankingQuestion } from './ranking-thread.ts';

export type RankingThread = SearchThread<RankingQuestion>;

/** Creates the keyword search. If the space is not in memory, the search waits until the thread has loaded it. */
export function createRankedSearch(
  db: KnowledgeDatabase,
  thread: RankingThread,
): KnowledgeEngine['search'] {
  return (scope, query, limit, signal) => askInScope(thread, db, scope, { query, limit }, signal);
}

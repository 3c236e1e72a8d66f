import type { ReadThread } from '../../../../lib/threads/index.ts';
import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { selectsOf } from '../scope-selects.ts';
import type { RankingRequest, RankingResult } from './ranking-thread.ts';

export type RankingThread = ReadThread<RankingRequest, RankingResult>;

/** Creates the keyword search. If the space is not in memory, the search waits until the thread has loaded it. */
export function createRankedSearch(
  db: KnowledgeDatabase,
  thread: RankingThread,
): KnowledgeEngine['search'] {
  return async (scope, query, limit, signal) => {
    const request = { spaceId: scope.spaceId, selects: selectsOf(db, scope), query, limit };
    return thread.read(request, scope, signal);
  };
}

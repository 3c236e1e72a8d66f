import type { AskThread } from '../../../../lib/threads/index.ts';
import type { KnowledgeDatabase, KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import { candidatesOf, selectsOf } from '../scope/scope-selects.ts';
import type { RankingAnswer, RankingQuestion } from './ranking-thread.ts';

export type RankingThread = AskThread<RankingQuestion, RankingAnswer>;

/** Creates the keyword search. If the space is not in memory, the search waits until the thread has loaded it. */
export function createRankedSearch(
  db: KnowledgeDatabase,
  thread: RankingThread,
): KnowledgeEngine['search'] {
  return async (scope, query, limit, signal) => {
    let selects = selectsOf(db, scope);
    for (;;) {
      const answer = await thread.ask({ scope: selects, query, limit }, scope, signal);
      if (answer !== 'scope') return answer;
      selects = { ...selects, candidates: await candidatesOf(db, scope) };
    }
  };
}

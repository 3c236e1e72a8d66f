import type { AskThread } from '../../../../lib/threads/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { candidatesOf, selectsOf } from './scope-selects.ts';
import type { SearchAnswer, SearchQuestion } from './search-thread.ts';

export type SearchThread<Question extends SearchQuestion> = AskThread<Question, SearchAnswer>;

/** Searches in a scope. Selects the candidates of the scope only if the thread has not cached the scope. */
export async function askInScope<Question extends SearchQuestion>(
  thread: SearchThread<Question>,
  db: KnowledgeDatabase,
  scope: KnowledgeScope,
  question: Omit<Question, keyof SearchQuestion>,
  signal?: AbortSignal,
): Promise<readonly RankedPassage[]> {
  let selects = selectsOf(db, scope);
  for (;;) {
    const asked = { ...question, scope: selects } as Question;
    const answer = await thread.ask(asked, scope, signal);
    if (answer !== 'scope') return answer;
    selects = { ...selects, candidates: await candidatesOf(db, scope) };
  }
}

import { setImmediate } from 'node:timers/promises';
import { type QuestionGroups as Answer, MAX_GROUPED_QUESTIONS } from '@gatehouse/contract';
import { readLimit } from '../../http/index.ts';
import type { ConversationsAccess } from '../../identity/index.ts';
import { toMilliseconds } from '../../lib/scheduling/index.ts';
import { QuestionGroups } from './question-groups.rules.ts';
import type {
  QuestionState,
  SpaceConversationRepository,
  StoredQuestion,
} from './space-conversation.repository.ts';

/** Questions that are read and grouped at once. Grouping them takes a few milliseconds. */
const READ_AT_ONCE = 100;

export interface QuestionsRequest {
  readonly state: QuestionState;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

/** Groups unanswered or disliked questions of a space. The read is recorded in the audit before it begins. */
export type ListQuestions = (
  space: ConversationsAccess,
  request: QuestionsRequest,
) => Promise<Answer>;

export function createListQuestions(
  repository: Pick<SpaceConversationRepository, 'record' | 'questions'>,
): ListQuestions {
  return async ({ spaceId }, { limit, ...request }) => {
    const { state, from, to } = request;
    const query = { spaceId, state, from: toMilliseconds(from), to: toMilliseconds(to) };
    await repository.record({
      action: 'questions.listed',
      spaceId,
      resourceId: null,
      details: request,
    });
    const groups = new QuestionGroups();
    let examined = 0;
    let before: StoredQuestion | null = null;
    let hasMore = true;
    while (hasMore && examined < MAX_GROUPED_QUESTIONS) {
      const rows = await repository.questions(query, before, READ_AT_ONCE + 1);
      const read = rows.slice(0, READ_AT_ONCE);
      for (const question of read) groups.add(question);
      examined += read.length;
      hasMore = rows.length > READ_AT_ONCE;
      before = read.at(-1) ?? null;
      await setImmediate();
    }
    const all = groups.largest();
    const items = all.slice(0, readLimit(limit));
    return { items, examined, isComplete: !hasMore && items.length === all.length };
  };
}

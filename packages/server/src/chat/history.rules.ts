import type { HistoryMessage } from '../ports/answerer.ts';

/** UTF-16 code units of what was said before that an answer is given along with its question. */
export const HISTORY_BUDGET = 12_000;
export const MOST_MESSAGES = 30;

/**
 * The newest messages that the budget has room for, beginning with a question. Whole ones: half an
 * answer may say the opposite of the whole.
 */
export function withinBudget<M extends HistoryMessage>(history: readonly M[]): readonly M[] {
  let left = HISTORY_BUDGET;
  let from = history.length;
  while (from > 0 && history.length - from < MOST_MESSAGES) {
    left -= history[from - 1]?.text.length ?? 0;
    if (left < 0) break;
    from -= 1;
  }
  const kept = history.slice(from);
  const first = kept.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : kept.slice(first);
}

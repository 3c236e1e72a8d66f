import type { HistoryMessage } from '../answerer.ts';

/** UTF-16 code units of what was said before that an answer is given along with its question. */
export const HISTORY_BUDGET = 12_000;
export const MOST_MESSAGES = 30;
/**
 * An answer is kept with all documents that those before it could have drawn on. They would grow without end in
 * a conversation that does not.
 */
export const MOST_DOCUMENTS = 1000;

/** What was said, with the documents that it could have drawn on. */
export interface SaidMessage extends HistoryMessage {
  readonly documents: readonly string[];
}

/**
 * The newest messages that the budget has room for, beginning with a question. Whole ones: half an
 * answer may say the opposite of the whole.
 */
export function withinBudget(history: readonly SaidMessage[]): readonly SaidMessage[] {
  let left = HISTORY_BUDGET;
  let from = history.length;
  const documents = new Set<string>();
  while (from > 0 && history.length - from < MOST_MESSAGES) {
    const message = history[from - 1] as SaidMessage;
    left -= message.text.length;
    for (const id of message.documents) documents.add(id);
    if (left < 0 || documents.size > MOST_DOCUMENTS) break;
    from -= 1;
  }
  const kept = history.slice(from);
  const first = kept.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : kept.slice(first);
}

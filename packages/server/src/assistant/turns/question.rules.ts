import {
  type ChatRequest,
  MAX_CONTEXT_LENGTH,
  MAX_QUESTION_LENGTH,
  type SentMessage,
} from '@gatehouse/contract';
import type { SaidMessage } from '../conversations/history.rules.ts';

/** The question of a turn, as it was sent. */
export interface SentQuestion {
  readonly text: string;
  /** The client's id of it, or ours, when it is one of a conversation that was kept. */
  readonly id: string | null;
  /** Whether it is to be answered again, or was edited. */
  readonly again: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** What is wrong with a request, beyond the schema; a member of the wrong type is the schema's to report. */
export function chatIssues(body: Body): string[] {
  return [...questionIssues(body), ...contextIssues(body)];
}

function questionIssues({ messages }: Body): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return [];
  const at = `messages[${messages.length - 1}]`;
  const { role, parts } = (messages.at(-1) ?? {}) as Partial<SentMessage>;
  const issues = [];
  if (typeof role === 'string' && role !== 'user')
    issues.push(`${at}.role: must be "user", since the last message is the question`);
  if (!Array.isArray(parts)) return issues;
  const other = parts.findIndex((part) => part?.type !== 'text');
  if (other >= 0) issues.push(`${at}.parts[${other}].type: must be "text" in a question`);
  const text = textOf(parts);
  if (other < 0 && text === '') issues.push(`${at}.parts: must have some text`);
  if (text.length > MAX_QUESTION_LENGTH)
    issues.push(`${at}.parts: must have at most ${MAX_QUESTION_LENGTH} characters of text`);
  if (!text.isWellFormed() || text.includes('\0'))
    issues.push(`${at}.parts: must not hold U+0000 or a lone surrogate`);
  return issues;
}

function contextIssues({ context }: Body): string[] {
  if (typeof context !== 'object' || context === null) return [];
  return JSON.stringify(context).length <= MAX_CONTEXT_LENGTH
    ? []
    : [`context: must have at most ${MAX_CONTEXT_LENGTH} characters as JSON`];
}

/** The question of a request that `chatIssues` has nothing to say about. */
export function questionOf({ messages, trigger, messageId }: ChatRequest): SentQuestion {
  const last = messages.at(-1);
  return {
    text: textOf(last?.parts ?? []),
    id: last?.id ?? null,
    again: trigger === 'regenerate-message' || messageId !== undefined,
  };
}

/** What a client says was said before, where nothing of it was kept: nobody vouches for it. */
export function historyOf({ messages }: ChatRequest): SaidMessage[] {
  return messages.slice(0, -1).flatMap(({ role, parts }) => {
    const text = textOf(parts).toWellFormed();
    return role === 'system' || text === '' ? [] : [{ role, text, documents: [] }];
  });
}

function textOf(parts: SentMessage['parts']): string {
  return parts
    .filter((part) => part?.type === 'text' && typeof part.text === 'string')
    .map((part) => part.text)
    .join('\n')
    .trim();
}

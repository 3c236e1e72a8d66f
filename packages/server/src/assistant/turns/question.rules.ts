import {
  attachmentIdOf,
  type ChatRequest,
  MAX_ATTACHMENTS_OF_MESSAGE,
  MAX_CONTEXT_LENGTH,
  MAX_QUESTION_LENGTH,
  pageToolProblems,
  type SentMessage,
} from '@gatehouse/contract';

export interface SentQuestion {
  readonly text: string;
  /** The client's ID of the message, or the service's ID of a stored message. */
  readonly id: string | null;
  /** `true` if the client requests another answer or has edited the question. */
  readonly isRepeated: boolean;
  /** `true` if the client requests another answer to the newest question that it knows. */
  readonly isNewestForClient: boolean;
  /** IDs of the messages that the client shows, or `null` if it does not say. */
  readonly knownIds: ReadonlySet<string | null> | null;
}

type Body = Readonly<Record<string, unknown>>;

/** Returns the problems of a request that the schema does not cover. Ignores members of the wrong type, which the schema reports. */
export function chatIssues(body: Body): string[] {
  return [...questionIssues(body), ...contextIssues(body), ...pageToolIssues(body)];
}

function questionIssues({ messages }: Body): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return [];
  const at = `messages[${messages.length - 1}]`;
  const { role, parts } = (messages.at(-1) ?? {}) as Partial<SentMessage>;
  const issues = [];
  if (typeof role === 'string' && role !== 'user')
    issues.push(`${at}.role: must be "user", because the last message is the question`);
  if (!Array.isArray(parts)) return issues;
  const other = parts.findIndex((part) => part?.type !== 'text' && part?.type !== 'file');
  if (other >= 0) issues.push(`${at}.parts[${other}].type: must be "text" or "file" in a question`);
  issues.push(...fileIssues(parts).map((issue) => `${at}.${issue}`));
  const text = textOf(parts);
  if (other < 0 && text === '') issues.push(`${at}.parts: must contain text`);
  if (text.length > MAX_QUESTION_LENGTH)
    issues.push(`${at}.parts: must have at most ${MAX_QUESTION_LENGTH} characters of text`);
  if (!text.isWellFormed() || text.includes('\0'))
    issues.push(`${at}.parts: must not contain U+0000 or a lone surrogate`);
  return issues;
}

function fileIssues(parts: SentMessage['parts']): string[] {
  const issues = parts.flatMap((part, index) =>
    part?.type !== 'file' || (typeof part.url === 'string' && attachmentIdOf(part.url) !== null)
      ? []
      : [
          `parts[${index}].url: must be the url of an attachment; upload the file with POST /chat/{chatId}/attachments first`,
        ],
  );
  const files = parts.filter((part) => part?.type === 'file').length;
  if (files > MAX_ATTACHMENTS_OF_MESSAGE)
    issues.push(`parts: must contain at most ${MAX_ATTACHMENTS_OF_MESSAGE} attachments`);
  return issues;
}

function contextIssues({ context }: Body): string[] {
  if (typeof context !== 'object' || context === null) return [];
  return JSON.stringify(context).length <= MAX_CONTEXT_LENGTH
    ? []
    : [`context: must have at most ${MAX_CONTEXT_LENGTH} characters as JSON`];
}

function pageToolIssues({ pageTools }: Body): string[] {
  return Array.isArray(pageTools)
    ? pageToolProblems(pageTools).map((problem) => `pageTools${problem}`)
    : [];
}

export function questionOf(request: ChatRequest): SentQuestion {
  const { messages, trigger, messageId, knownMessageIds } = request;
  const last = messages.at(-1);
  const isRegenerated = trigger === 'regenerate-message';
  return {
    text: textOf(last?.parts ?? []),
    id: last?.id ?? null,
    isRepeated: isRegenerated || messageId !== undefined,
    isNewestForClient: isRegenerated && messageId === undefined,
    knownIds: knownMessageIds === undefined ? null : new Set(knownMessageIds),
  };
}

export function textOf(parts: SentMessage['parts']): string {
  return parts
    .filter((part) => part?.type === 'text' && typeof part.text === 'string')
    .map((part) => part.text)
    .join('\n')
    .trim();
}

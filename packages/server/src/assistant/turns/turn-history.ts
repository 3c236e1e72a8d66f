import { randomUUIDv7 } from 'node:crypto';
import type { ChatRequest } from '@gatehouse/contract';
import type { Documents } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { HistoryMessage } from '../answerer.ts';
import { newerQuestion } from '../assistant.errors.ts';
import { type AttachedFile, toFilePart } from '../attachments/attachment.rules.ts';
import type {
  AnswerWrite,
  ConversationRepository,
  StoredConversation,
  StoredMessage,
} from '../conversations/conversation.repository.ts';
import { basisOf, titleOf } from '../conversations/conversation.rules.ts';
import type { Owner } from '../conversations/owner.rules.ts';
import {
  type AnswerBasis,
  type UsedDocument,
  visibleAnswers,
} from '../conversations/visible-answers.service.ts';
import { questionOf, type SentQuestion, textOf } from './question.rules.ts';

/** Maximum length of earlier messages for the answerer, in UTF-16 code units. */
export const HISTORY_BUDGET = 12_000;
export const MAX_MESSAGES = 30;
/**
 * Maximum number of documents of the history. Two versions of a document count as two. Each answer stores all documents of its history, so without a limit the number
 * would grow with the conversation.
 */
export const MAX_DOCUMENTS = 1000;
/** Number of messages to read. The number exceeds `MAX_MESSAGES`, because some messages may be hidden. */
const MESSAGES_READ = 100;

/** The question of a turn, the messages before it, and a function that stores the answer. */
export interface TurnHistory {
  /** `null` if nothing is stored. */
  readonly conversationId: string | null;
  readonly question: string;
  /** Stable ID of the question, also if it is answered again. `null`: the client sent no ID. */
  readonly questionId: string | null;
  /** Earlier messages within the budget, oldest first. */
  readonly messages: readonly HistoryMessage[];
  /** Documents that were available to the earlier messages and are therefore also available to the answer. */
  readonly documents: readonly UsedDocument[];
  /** IDs of the stored messages up to the question. */
  readonly messageIds: ReadonlySet<string>;
  /** Resolves when the question is stored. */
  readonly saved: Promise<void>;
  /** Stores the answer, after the question. */
  store(answer: AnswerWrite): Promise<void>;
}

/** Returns a history of the messages that the client sent. Stores nothing. */
export function historyFromClient(request: ChatRequest): TurnHistory {
  return {
    conversationId: null,
    question: questionOf(request).text,
    questionId: questionOf(request).id,
    messages: toMessages(withinBudget(sentMessages(request))),
    documents: [],
    messageIds: new Set(),
    saved: Promise.resolve(),
    store: async () => {},
  };
}

export interface StoreQuestionDeps {
  readonly conversations: ConversationRepository;
  readonly documents: Pick<Documents, 'named'>;
}

/**
 * Stores the question in the conversation `found`, or in a new conversation if `found` is `null`. The history consists of the
 * stored messages that are visible in this scope. Earlier messages from the client are ignored. A repeated question gets a new
 * answer, and the messages after it are deleted.
 *
 * The promise resolves before the question is stored, so that the model can be asked at the same time. Wait for `saved` before anything
 * that must not happen without a stored question.
 *
 * @param chatId the client's ID of the chat.
 * @param now Unix milliseconds.
 * @throws {ApiError} 409 if the turn would delete messages that the client does not know.
 */
export async function storeQuestion(
  { conversations, documents }: StoreQuestionDeps,
  asked: {
    readonly owner: Owner;
    /** Link through which the question is asked. */
    readonly linkId: string;
    readonly scope: KnowledgeScope;
    readonly found: StoredConversation | null;
    readonly chatId: string;
    readonly request: ChatRequest;
    /** Attachments that the question refers to. */
    readonly attachments?: readonly AttachedFile[];
  },
  now: number,
): Promise<TurnHistory> {
  const { owner, scope, found, chatId, linkId } = asked;
  const sent = questionOf(asked.request);
  const { id: sentId, text } = sent;
  const conversation = found ?? { id: randomUUIDv7(), chat_id: chatId, title: titleOf(text) };
  const before = found === null ? [] : await conversations.messages(found, MESSAGES_READ);
  // Questions before the last message of a handoff are final, because people have answered them.
  const lastOfHandoff = before.findLastIndex(({ handoff_id }) => handoff_id !== null);
  const matching = indexOfQuestion(sent, before);
  const at = matching > lastOfHandoff ? matching : -1;
  if (at >= 0 && hasUnknownAfter(at, sent, before)) throw newerQuestion();
  const question = {
    id: before[at]?.id ?? randomUUIDv7(),
    sent_id: sentId,
    text,
    link_id: linkId,
    ...attachmentsOf(asked.attachments),
  };
  const { id, chat_id } = conversation;
  const key = { spaceId: owner.spaceId, conversationId: id };
  // Update the title if the first question was edited, or if a handoff preceded it.
  const isFirst = before[at]?.position === 0 || conversation.title === '';
  const title = isFirst ? titleOf(text) : conversation.title;
  const attachmentIds = asked.attachments?.map((file) => file.id) ?? [];
  const write = { conversation: { id, chat_id, title }, question, attachmentIds };
  const saved = conversations.saveQuestion(owner, write, now);
  // The caller handles a failure.
  saved.catch(() => {});

  const earlier = (at < 0 ? before : before.slice(0, at)).map(({ role, text, ...message }) => ({
    role,
    text,
    ...basisOf(message),
  }));
  const visible = await visibleAnswers(documents, scope, earlier);
  const history = withinBudget(
    earlier.filter((message) => message.text !== '' && visible.has(message)),
  );
  return {
    conversationId: id,
    question: text,
    questionId: question.id,
    messages: toMessages(history),
    documents: [...new Set(history.flatMap((message) => message.documents))],
    messageIds: new Set([
      ...(at < 0 ? before : before.slice(0, at)).map((row) => row.id),
      question.id,
    ]),
    saved,
    store: async (answer) => {
      await saved;
      await conversations.saveAnswer(key, question.id, answer);
    },
  };
}

/** Returns the stored parts of attachments. */
export function attachmentsOf(files: readonly AttachedFile[] = []): { attachments?: string } {
  return files.length === 0 ? {} : { attachments: JSON.stringify(files.map(toFilePart)) };
}

/** A message with the documents that were available to it. */
export interface HistoryEntry extends HistoryMessage, Pick<AnswerBasis, 'documents'> {}

/**
 * Returns the newest messages that fit the budget, starting with a question. Never truncates a message, because a part of
 * an answer may contradict the whole.
 */
export function withinBudget(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let left = HISTORY_BUDGET;
  let from = history.length;
  const documents = new Set<UsedDocument>();
  while (from > 0 && history.length - from < MAX_MESSAGES) {
    const message = history[from - 1] as HistoryEntry;
    left -= message.text.length;
    for (const document of message.documents) documents.add(document);
    if (left < 0 || documents.size > MAX_DOCUMENTS) break;
    from -= 1;
  }
  const kept = history.slice(from);
  const first = kept.findIndex(({ role }) => role === 'user');
  return first < 0 ? [] : kept.slice(first);
}

/** Returns the earlier messages that the client sent. They are untrusted. */
function sentMessages({ messages }: ChatRequest): HistoryEntry[] {
  return messages.slice(0, -1).flatMap(({ role, parts }) => {
    const text = textOf(parts).toWellFormed();
    return role === 'system' || text === '' ? [] : [{ role, text, documents: [] }];
  });
}

function toMessages(earlier: readonly HistoryEntry[]): HistoryMessage[] {
  return earlier.map(({ role, text }) => ({ role, text }));
}

/**
 * Returns the index of the question among the stored messages, or −1. Unless the client marks the question as repeated,
 * only the newest question with the same text matches, so that a client that reuses an ID does not delete later messages.
 */
function indexOfQuestion(
  { id: sentId, text, isRepeated }: SentQuestion,
  messages: readonly StoredMessage[],
): number {
  if (sentId === null) return -1;
  const at = messages.findLastIndex(
    ({ id, role, sent_id }) => role === 'user' && (id === sentId || sent_id === sentId),
  );
  const isNewest = at === indexOfNewestQuestion(messages);
  return isRepeated || (isNewest && messages[at]?.text === text) ? at : -1;
}

/** Reports whether the client does not know a message after the question at an index. */
function hasUnknownAfter(
  at: number,
  { isNewestForClient, knownIds }: SentQuestion,
  messages: readonly StoredMessage[],
): boolean {
  if (isNewestForClient && at < indexOfNewestQuestion(messages)) return true;
  return (
    knownIds !== null &&
    messages.slice(at + 1).some(({ id, sent_id }) => !knownIds.has(id) && !knownIds.has(sent_id))
  );
}

function indexOfNewestQuestion(messages: readonly StoredMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}

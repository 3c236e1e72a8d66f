import { randomUUIDv7 } from 'node:crypto';
import type { ChatRequest } from '@gatehouse/contract';
import type { Documents } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { HistoryMessage } from '../answerer.ts';
import type {
  AnswerWrite,
  ConversationRepository,
  StoredConversation,
  StoredMessage,
} from '../conversations/conversation.repository.ts';
import { documentsOf, mayBeSeen, titleOf } from '../conversations/conversation.rules.ts';
import type { Owner } from '../conversations/owner.rules.ts';
import { questionOf, type SentQuestion, textOf } from './question.rules.ts';

/** Earlier text that the answerer gets, in UTF-16 code units. */
export const HISTORY_BUDGET = 12_000;
export const MOST_MESSAGES = 30;
/** Documents that the history may draw on. An answer stores all of them, so they would grow with a long conversation. */
export const MOST_DOCUMENTS = 1000;
/** Messages that are read: enough for the budget if some of them are hidden. */
const MESSAGES_READ = 100;

/** The question of a turn, the conversation before it, and the place where its answer is stored. */
export interface TurnHistory {
  /** Null if nothing is stored. */
  readonly conversationId: string | null;
  readonly question: string;
  /** Earlier messages within the budget, oldest first. */
  readonly messages: readonly HistoryMessage[];
  /** Documents that the earlier messages could have drawn on, so that the answer may draw on them too. */
  readonly documents: readonly string[];
  store(answer: AnswerWrite): Promise<void>;
}

/** Returns a history that stores nothing. It consists of the messages that the client sent. */
export function historyFromClient(request: ChatRequest): TurnHistory {
  return {
    conversationId: null,
    question: questionOf(request).text,
    messages: toMessages(withinBudget(sentMessages(request))),
    documents: [],
    store: async () => {},
  };
}

export interface StoreQuestionDeps {
  readonly conversations: ConversationRepository;
  readonly documents: Pick<Documents, 'named'>;
}

/**
 * Stores the question in its conversation, or in a new one if `found` is null. The history consists of stored messages
 * that are visible in this scope; of the messages that the client sent, only the question counts. A question that the
 * conversation already has is answered once more.
 *
 * @param chatId the client's id of the chat.
 * @param now Unix milliseconds.
 */
export async function storeQuestion(
  { conversations, documents }: StoreQuestionDeps,
  asked: {
    readonly owner: Owner;
    readonly scope: KnowledgeScope;
    readonly found: StoredConversation | null;
    readonly chatId: string;
    readonly request: ChatRequest;
  },
  now: number,
): Promise<TurnHistory> {
  const { owner, scope, found, chatId } = asked;
  const sent = questionOf(asked.request);
  const { id: sentId, text } = sent;
  const conversation = found ?? { id: randomUUIDv7(), chat_id: chatId, title: titleOf(text) };
  const before = found === null ? [] : await conversations.messages(found, MESSAGES_READ);
  const at = indexOfQuestion(sent, before);
  const question = { id: before[at]?.id ?? randomUUIDv7(), sent_id: sentId, text };
  const { id, chat_id } = conversation;
  const key = { spaceId: owner.spaceId, conversationId: id };
  // If the first question was edited, its old words must not stay in the title.
  const title = before[at]?.position === 0 ? titleOf(text) : conversation.title;
  await conversations.keepQuestion(owner, { conversation: { id, chat_id, title }, question }, now);

  const said = (at < 0 ? before : before.slice(0, at)).map(
    (message): SaidMessage => ({ ...message, documents: documentsOf(message) }),
  );
  const ids = new Set(said.flatMap((message) => message.documents));
  const visible = await documents.named(scope, [...ids]);
  const history = withinBudget(
    said.filter((message) => message.text !== '' && mayBeSeen(message.documents, visible)),
  );
  return {
    conversationId: id,
    question: text,
    messages: toMessages(history),
    documents: [...new Set(history.flatMap((message) => message.documents))],
    store: (answer) => conversations.keepAnswer(key, question.id, answer),
  };
}

/** A message with the documents that it could have drawn on. */
export interface SaidMessage extends HistoryMessage {
  readonly documents: readonly string[];
}

/**
 * Returns the newest messages that fit the budget, starting with a question. It never cuts a message: half an answer
 * may say the opposite of the whole.
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

/** Returns the earlier messages that the client sent. They are unverified. */
function sentMessages({ messages }: ChatRequest): SaidMessage[] {
  return messages.slice(0, -1).flatMap(({ role, parts }) => {
    const text = textOf(parts).toWellFormed();
    return role === 'system' || text === '' ? [] : [{ role, text, documents: [] }];
  });
}

function toMessages(said: readonly SaidMessage[]): HistoryMessage[] {
  return said.map(({ role, text }) => ({ role, text }));
}

/**
 * Returns the index of the question among the stored messages, or −1. Unless the client says that the question is
 * repeated, only the newest question with the same text matches: a client that reuses an id must not delete later messages.
 */
function indexOfQuestion(
  { id: sentId, text, isRepeated }: SentQuestion,
  messages: readonly StoredMessage[],
): number {
  if (sentId === null) return -1;
  const at = messages.findLastIndex(
    ({ id, role, sent_id }) => role === 'user' && (id === sentId || sent_id === sentId),
  );
  const isNewest = at === messages.findLastIndex(({ role }) => role === 'user');
  return isRepeated || (isNewest && messages[at]?.text === text) ? at : -1;
}

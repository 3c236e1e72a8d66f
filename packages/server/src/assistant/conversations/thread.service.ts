import { randomUUIDv7 } from 'node:crypto';
import type { ChatRequest } from '@gatehouse/contract';
import type { Documents } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { HistoryMessage } from '../answerer.ts';
import { historyOf, questionOf, type SentQuestion } from '../turns/question.rules.ts';
import type {
  AnswerWrite,
  ConversationRepository,
  StoredConversation,
  StoredMessage,
} from './conversation.repository.ts';
import { documentsOf, mayBeSeen, titleOf } from './conversation.rules.ts';
import { type SaidMessage, withinBudget } from './history.rules.ts';
import type { Owner } from './owner.rules.ts';

/** What a question stands in, and where its answer goes. */
export interface Thread {
  /** Null where nothing is kept. */
  readonly conversationId: string | null;
  readonly question: string;
  /** What was said before, as much of it as an answer is given. */
  readonly history: readonly HistoryMessage[];
  /** The documents that the history could have drawn on, and so whatever is made from it. */
  readonly documents: readonly string[];
  keep(answer: AnswerWrite): Promise<void>;
}

/** A thread of which nothing is kept: its history is what the client says. */
export function passingThread(request: ChatRequest): Thread {
  return {
    conversationId: null,
    question: questionOf(request).text,
    history: toHistory(withinBudget(historyOf(request))),
    documents: [],
    keep: async () => {},
  };
}

export interface KeptThreadDeps {
  readonly conversations: ConversationRepository;
  readonly documents: Pick<Documents, 'named'>;
}

/** Enough for the budget of a history that leaves some out. */
const MESSAGES_READ = 100;

/**
 * Keeps the question in its conversation, a new one when `found` is null. The history is what was kept
 * and may be seen in this scope; of what the client sent only the question counts. A question that the
 * conversation has already is asked again.
 *
 * @param chatId the client's id of the chat.
 * @param now Unix milliseconds.
 */
export async function keptThread(
  { conversations, documents }: KeptThreadDeps,
  asked: {
    readonly owner: Owner;
    readonly scope: KnowledgeScope;
    readonly found: StoredConversation | null;
    readonly chatId: string;
    readonly request: ChatRequest;
  },
  now: number,
): Promise<Thread> {
  const { owner, scope, found, chatId } = asked;
  const sent = questionOf(asked.request);
  const { id: sentId, text } = sent;
  const conversation = found ?? { id: randomUUIDv7(), chat_id: chatId, title: titleOf(text) };
  const before = found === null ? [] : await conversations.messages(found, MESSAGES_READ);
  const at = placeOf(sent, before);
  const question = { id: before[at]?.id ?? randomUUIDv7(), sent_id: sentId, text };
  const { id, chat_id } = conversation;
  const key = { spaceId: owner.spaceId, conversationId: id };
  // The words of a first question that was changed are not to be read in the title.
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
    history: toHistory(history),
    documents: [...new Set(history.flatMap((message) => message.documents))],
    keep: (answer) => conversations.keepAnswer(key, question.id, answer),
  };
}

function toHistory(said: readonly SaidMessage[]): HistoryMessage[] {
  return said.map(({ role, text }) => ({ role, text }));
}

/**
 * Where the conversation has the question already, or −1. Without being told that it is meant again, only
 * the newest question in the same words is taken for it: ids that a client gives twice must not cost
 * anybody what was said since.
 */
function placeOf(
  { id: sentId, text, again }: SentQuestion,
  messages: readonly StoredMessage[],
): number {
  if (sentId === null) return -1;
  const at = messages.findLastIndex(
    ({ id, role, sent_id }) => role === 'user' && (id === sentId || sent_id === sentId),
  );
  const isNewest = at === messages.findLastIndex(({ role }) => role === 'user');
  return again || (isNewest && messages[at]?.text === text) ? at : -1;
}

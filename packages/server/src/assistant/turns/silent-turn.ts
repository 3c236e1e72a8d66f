import { randomUUIDv7 } from 'node:crypto';
import type { ChatRequest } from '@gatehouse/contract';
import { newerQuestion } from '../assistant.errors.ts';
import type { AttachedFile } from '../attachments/attachment.rules.ts';
import type {
  ConversationRepository,
  StoredConversation,
} from '../conversations/conversation.repository.ts';
import { titleOf, toHandoff } from '../conversations/conversation.rules.ts';
import type { Owner } from '../conversations/owner.rules.ts';
import { questionOf } from './question.rules.ts';
import { attachmentsOf } from './turn-history.ts';
import type { Chunk } from './ui-stream.rules.ts';

/** Maximum number of earlier messages among which a repeated request is found. */
const MESSAGES_READ = 100;

/**
 * Stores a visitor's message during a handoff. A message that a client sends again after a lost response is stored once.
 *
 * @param now Unix milliseconds.
 * @throws {ApiError} 409 if the client states which messages it shows, and repeats a question from before the handoff.
 */
export async function storeHandoffMessage(
  conversations: Pick<ConversationRepository, 'messages' | 'saveQuestion'>,
  asked: {
    readonly owner: Owner;
    readonly linkId: string;
    readonly found: StoredConversation;
    readonly request: ChatRequest;
    /** Attachments that the message refers to. */
    readonly attachments?: readonly AttachedFile[];
  },
  now: number,
): Promise<void> {
  const { owner, linkId, found, request } = asked;
  const { id: sentId, text, isRepeated, knownIds } = questionOf(request);
  const before = sentId === null ? [] : await conversations.messages(found, MESSAGES_READ);
  const sameId = before.filter(
    ({ role, id, sent_id }) => role === 'user' && (id === sentId || sent_id === sentId),
  );
  const ofHandoff = sameId.filter(({ handoff_id }) => handoff_id === found.handoff_id);
  if (ofHandoff.some((message) => message.text === text)) return;
  // The client wants another answer of the assistant. It does not know of the handoff.
  if (isRepeated && knownIds !== null && sameId.length > ofHandoff.length) throw newerQuestion();
  const { id, chat_id, handoff_id } = found;
  const title = found.title === '' ? titleOf(text) : found.title;
  const question = {
    id: randomUUIDv7(),
    sent_id: sentId,
    text,
    link_id: linkId,
    handoff_id,
    ...attachmentsOf(asked.attachments),
  };
  const attachmentIds = asked.attachments?.map((file) => file.id) ?? [];
  const write = { conversation: { id, chat_id, title }, question, attachmentIds };
  await conversations.saveQuestion(owner, write, now);
}

/** Yields an answer without text, because people answer during a handoff. */
export async function* silentTurn(
  found: StoredConversation,
  release: () => void,
): AsyncGenerator<Chunk> {
  const handoff = toHandoff(found);
  try {
    const messageMetadata = { conversationId: found.id, ...(handoff === null ? {} : { handoff }) };
    yield { type: 'start', messageId: randomUUIDv7(), messageMetadata };
    yield { type: 'finish', finishReason: 'stop', messageMetadata: { state: 'finished' } };
  } finally {
    release();
  }
}

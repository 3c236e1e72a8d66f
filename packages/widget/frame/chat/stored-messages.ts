import type { ConversationWithMessages, Handoff, KeptMessage } from '@gatehouse/contract';
import type { Api } from '../api/api.ts';
import { type Failure, isFailure } from '../api/failure.ts';
import { type AnswerData, EMPTY, type Message, newAnswer, sourceOf } from './message.ts';

export interface StoredMessages {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Cursor of the messages before these, or `null`. */
  readonly earlier: string | null;
  readonly handoff: Handoff | null;
}

/**
 * Reads the newest messages of a conversation.
 *
 * @param before cursor: reads the messages before it instead.
 */
export async function readStoredMessages(
  api: Api,
  conversationId: string,
  before: string | null,
): Promise<StoredMessages | Failure> {
  const query = before === null ? '' : `?before=${encodeURIComponent(before)}`;
  const path = `/chat/conversations/${conversationId}${query}`;
  const found = await api.read<ConversationWithMessages>({ method: 'GET', path });
  if (isFailure(found)) return found;
  return {
    messages: found.messages.map(fromStored),
    earlier: found.earlier,
    handoff: found.handoff,
  };
}

export function fromStored({ id, role, parts, metadata }: KeptMessage): Message {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (role === 'user')
    return { role, id, text, files: parts.filter((part) => part.type === 'file') };
  const view: AnswerData = {
    ...EMPTY,
    text,
    sources: parts.flatMap((part) => (part.type === 'source-document' ? [sourceOf(part)] : [])),
    state: metadata.state ?? 'finished',
    rating: metadata.feedback?.rating ?? null,
  };
  return newAnswer(view, id, metadata.author);
}

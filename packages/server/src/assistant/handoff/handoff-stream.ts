import { setTimeout as sleep } from 'node:timers/promises';
import type { Handoff } from '@gatehouse/contract';
import type { EventFormat } from '../../http/index.ts';
import type { ConversationKey, StoredMessage } from '../conversations/conversation.repository.ts';
import { isHandedOver, toHandoff } from '../conversations/conversation.rules.ts';
import type { HandoffRepository, StoredHandoff } from './handoff.repository.ts';

/** Interval between reads of a handoff. Every replica reads the database, so messages cross replicas. */
const POLL_MS = 500;
/** Maximum duration of a stream. The client then opens it again, so the service checks its right to open one. */
const MAX_DURATION_MS = 10 * 60_000;

export type HandoffUpdate<Message> =
  | { readonly type: 'handoff'; readonly handoff: Handoff }
  | { readonly type: 'message'; readonly message: Message };

export interface FollowedHandoff<Message> {
  readonly repository: Pick<HandoffRepository, 'find' | 'messages'>;
  readonly key: ConversationKey;
  readonly handoffId: string;
  /** Converts a message for the reader, or returns `null` to omit it. */
  readonly convert: (message: StoredMessage) => Message | null;
  /** Aborts when the reader may no longer read, disconnects, or the service stops. */
  readonly signal: AbortSignal;
}

/**
 * Yields the state and the messages of a handoff, then each change. Ends when the handoff ends, when the conversation is deleted,
 * when the signal aborts, and after ten minutes. Messages precede the end of the handoff.
 */
export async function* updatesOf<Message>(
  followed: FollowedHandoff<Message>,
): AsyncGenerator<HandoffUpdate<Message>> {
  const { repository, key, handoffId, convert, signal } = followed;
  const endsAt = performance.now() + MAX_DURATION_MS;
  let shown = '';
  let after = -1;
  while (!signal.aborted && performance.now() < endsAt) {
    const stored = await repository.find(key);
    if (stored?.handoff_id !== handoffId) return;
    const messages = await repository.messages({ ...key, handoffId, after });
    if (signal.aborted) return;
    const handoff = toHandoff(stored);
    if (handoff === null) return;
    const state = JSON.stringify(handoff);
    if (state !== shown && isHandedOver(stored)) yield { type: 'handoff', handoff };
    for (const message of messages) {
      after = message.position;
      const converted = convert(message);
      if (converted !== null) yield { type: 'message', message: converted };
    }
    if (state !== shown && !isHandedOver(stored)) yield { type: 'handoff', handoff };
    if (!isHandedOver(stored)) return;
    shown = state;
    await sleep(POLL_MS, null, { ref: false, signal }).catch(() => {});
  }
}

/** Reports whether a conversation exists and people answer in it. */
export function isOpenHandoff(
  stored: StoredHandoff | null,
): stored is StoredHandoff & { readonly handoff_id: string } {
  return stored !== null && stored.handoff_id !== null && isHandedOver(stored);
}

export const UPDATES: EventFormat<HandoffUpdate<unknown>> = {
  dataOf: (update) => JSON.stringify(update),
  join: () => null,
};

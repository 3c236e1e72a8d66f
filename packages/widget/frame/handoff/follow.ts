import type { Handoff, KeptMessage } from '@gatehouse/contract';
import type { Api } from '../api/api.ts';
import { readEvents } from '../chat/send-question.ts';

export type HandoffUpdate =
  | { readonly type: 'handoff'; readonly handoff: Handoff }
  | { readonly type: 'message'; readonly message: KeptMessage };

/** Maximum gap between chunks, in milliseconds. The service sends a keep-alive comment every 15 seconds. */
const IDLE_TIMEOUT_MS = 40_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/**
 * Follows a handoff until it ends or the signal aborts, and connects again after failures. Returns `false` if the service reports that
 * the handoff has ended already. The last messages may then be missing.
 */
export async function follow(
  api: Pick<Api, 'send'>,
  conversationId: string,
  onUpdate: (update: HandoffUpdate) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let retryMs = FIRST_RETRY_MS;
  let hasEnded = false;
  while (!hasEnded && !signal.aborted) {
    const result = await readOnce(api, conversationId, signal, (update) => {
      retryMs = FIRST_RETRY_MS;
      hasEnded ||= update.type === 'handoff' && update.handoff.state === 'ended';
      onUpdate(update);
    });
    if (result === 'ended') return false;
    if (hasEnded || signal.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs);
  }
  return true;
}

async function readOnce(
  api: Pick<Api, 'send'>,
  conversationId: string,
  signal: AbortSignal,
  onUpdate: (update: HandoffUpdate) => void,
): Promise<'ended' | 'retry'> {
  const idle = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(), IDLE_TIMEOUT_MS);
  };
  try {
    restartTimer();
    const response = await api.send({
      method: 'GET',
      path: `/chat/conversations/${conversationId}/handoff/stream`,
      signal: AbortSignal.any([signal, idle.signal]),
    });
    if (!(response instanceof Response)) return 'retry';
    if (response.status === 204) return 'ended';
    if (response.body === null) return 'retry';
    for await (const data of readEvents(response.body)) {
      restartTimer();
      if (data !== '' && !signal.aborted) onUpdate(JSON.parse(data) as HandoffUpdate);
    }
  } catch {
    // The connection was lost, or the signal aborted.
  } finally {
    clearTimeout(timer);
  }
  return 'retry';
}

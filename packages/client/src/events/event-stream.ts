import type { Connection } from '../http/connection.ts';
import { parseData, readMessages } from '../http/messages.ts';
import { isTransient, MAX_PAUSE_MS, retryDelay, sleep } from '../http/retry.ts';
import type { StreamOptions } from '../options.ts';
import type { FeedItem, StreamedEvent, StreamQuery } from './events.ts';

const RECONNECT_MS = 2000;
/** The longest delay grows to 8 seconds, which the fifth attempt reaches. */
const LONGEST_BACKOFF = 5;

/**
 * Yields events without end. Until the first connection succeeds, at most `maxRetries` attempts follow the first one;
 * after that, the stream reconnects until the service rejects it.
 */
export async function* streamEvents(
  api: Connection,
  { after, ...query }: StreamQuery,
  options: StreamOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal } = options;
  let cursor = after;
  let pause = RECONNECT_MS;
  let remaining = options.maxRetries ?? api.maxRetries;
  for (let failures = 0; ; ) {
    const controller = new AbortController();
    const cancel = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', cancel);
    try {
      signal?.throwIfAborted();
      const own = { ...options, signal: controller.signal, maxRetries: 0 };
      const headers: Record<string, string> =
        cursor === undefined ? {} : { 'last-event-id': cursor };
      const response = await api.open('GET /events/stream', { query, headers }, own);
      remaining = Number.POSITIVE_INFINITY;
      options.onConnect?.();
      for await (const { id, data, retry } of readMessages(response, own)) {
        failures = 0;
        pause = retry ?? pause;
        cursor = id ?? cursor;
        if (data !== undefined) yield toStreamed(data, cursor ?? '');
      }
      options.onDisconnect?.(undefined);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error) || remaining-- <= 0) throw error;
      failures++;
      pause = retryDelay(error, Math.min(failures, LONGEST_BACKOFF)) ?? MAX_PAUSE_MS;
      options.onDisconnect?.(error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      controller.abort();
    }
    // Spreads the connections of many clients after a restart of the service.
    await sleep(pause * (1 + Math.random() / 4), signal);
  }
}

function toStreamed(data: string, cursor: string): StreamedEvent {
  const item = parseData<FeedItem>(data);
  const [, text = JSON.stringify(item.event)] =
    /^{"event":(.*),"receivedAt":"[^"]*"}$/s.exec(data) ?? [];
  return { ...item, text, cursor };
}

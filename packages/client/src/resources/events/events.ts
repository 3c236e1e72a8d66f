import type { BodyOf, QueryOf } from '../../api.ts';
import {
  type CloudEvent,
  type FeedItem,
  type FeedPage,
  type NewEvent,
  type StreamedEvent,
  type StreamQuery,
  toEvent,
} from '../../events/events.ts';
import type { Connection } from '../../http/connection.ts';
import type { List } from '../../http/list.ts';
import { parseData, readMessages } from '../../http/messages.ts';
import { isTransient, MAX_PAUSE_MS, retryDelay, sleep } from '../../http/retry.ts';
import { stoppable } from '../../http/stoppable.ts';
import type { RequestOptions, StreamOptions } from '../../options.ts';
import type { EventSigner } from '../../signing/sign.ts';
import type { EventStats, IngestResult, ListQuery, RejectedEventPage } from '../../types.ts';
import { Resource } from '../resource.ts';

export type { CloudEvent, FeedItem, FeedPage, NewEvent, StreamedEvent };

export interface SendOptions extends RequestOptions {
  /** Signs the request. The credential of the client is then not sent. */
  readonly signer?: EventSigner | undefined;
}

/** CloudEvents of a space. */
export class Events extends Resource {
  /**
   * Sends up to 100 events. A missing `id` is generated. The service stores an event with a known `source` and `id` only
   * once, so the client repeats a failed request. Rejected events do not reject the promise: see `errors` of the result.
   *
   * @example
   * const { errors = [] } = await gatehouse.events.send([
   *   { source: 'https://shop.example/orders', type: 'example.order.paid', data: { order: 1001 } },
   * ]);
   * for (const { index, error } of errors) console.log(index, error);
   */
  send(events: readonly NewEvent[], options?: SendOptions): Promise<IngestResult> {
    const body = { events: events.map(toEvent) } as BodyOf<'POST /events'>;
    const query = this.api.inSpace<QueryOf<'POST /events'>>({}, options);
    const input = { body, query, sign: options?.signer?.(), safe: true };
    return this.api.send('POST /events', input, options);
  }

  /**
   * Lists accepted events, oldest first. `resume` of a page is the cursor for events that are accepted later.
   *
   * @example
   * for await (const { event } of gatehouse.events.list({ type: 'example.order.paid' })) {
   *   console.log(event.id, event.data);
   * }
   */
  list(query?: QueryOf<'GET /events'>, options?: RequestOptions): List<FeedPage> {
    const inSpace = this.api.inSpace(query, options);
    return this.api.list('GET /events', { query: inSpace }, options) as unknown as List<FeedPage>;
  }

  /**
   * Yields events as they are accepted, without end. Starts with the next event, or after the cursor `after`. Reconnects after a
   * failure and resumes after the last event. Store the `cursor` of an event and pass it as `after` to continue later. Throws if the
   * service rejects the request.
   *
   * @example
   * for await (const { event, cursor } of gatehouse.events.stream({ after })) {
   *   console.log(cursor, event.type);
   *   break;
   * }
   */
  stream(
    query?: QueryOf<'GET /events/stream'>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamedEvent, void, undefined> {
    const inSpace = this.api.inSpace(query, options);
    return stoppable(options, (own) => streamEvents(this.api, inSpace, own));
  }

  /**
   * Returns statistics of the last hour.
   *
   * @example
   * const { stored, types } = await gatehouse.events.stats();
   */
  stats(options?: RequestOptions): Promise<EventStats> {
    return this.api.send('GET /spaces/{spaceId}/events/stats', {}, options);
  }

  /**
   * Lists rejected events and requests, newest first.
   *
   * @example
   * for await (const { problem, sender } of gatehouse.events.listRejected()) {
   *   console.log(sender.kind, problem);
   * }
   */
  listRejected(query?: ListQuery, options?: RequestOptions): List<RejectedEventPage> {
    return this.api.list('GET /spaces/{spaceId}/rejected-events', { query }, options);
  }
}

const RECONNECT_MS = 2000;
/** The longest delay grows to 8 seconds, which the fifth attempt reaches. */
const LONGEST_BACKOFF = 5;

/**
 * Yields events without end. Until the first connection succeeds, at most `maxRetries` attempts follow the first one;
 * after that, the stream reconnects until the service rejects it.
 */
async function* streamEvents(
  api: Connection,
  query: StreamQuery,
  options: StreamOptions,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal } = options;
  let { after } = query;
  let pause = RECONNECT_MS;
  let remaining = options.maxRetries ?? api.maxRetries;
  for (let failures = 0; ; ) {
    const controller = new AbortController();
    const cancel = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', cancel);
    try {
      signal?.throwIfAborted();
      const own = { ...options, signal: controller.signal, maxRetries: 0 };
      const response = await api.open('GET /events/stream', { query: { ...query, after } }, own);
      remaining = Number.POSITIVE_INFINITY;
      options.onConnect?.();
      for await (const { id, data, retry } of readMessages(response, own)) {
        failures = 0;
        pause = retry ?? pause;
        after = id ?? after;
        if (data !== undefined) yield toStreamed(data, after ?? '');
      }
      options.onDisconnect?.(undefined);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error) || !(remaining-- > 0)) throw error;
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

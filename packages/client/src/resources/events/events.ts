import type { BodyOf, QueryOf } from '../../api.ts';
import { streamEvents } from '../../events/event-stream.ts';
import type {
  CloudEvent,
  FeedItem,
  FeedPage,
  NewEvent,
  StreamedEvent,
} from '../../events/events.ts';
import { toEvent } from '../../events/events.ts';
import type { List } from '../../http/list.ts';
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
   * Yields events as they are accepted, without end. Reconnects after a failure and resumes after the last event. Store
   * the `cursor` of an event and pass it as `after` to continue later. Throws if the service rejects the request.
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
    return streamEvents(this.api, this.api.inSpace(query, options), options);
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

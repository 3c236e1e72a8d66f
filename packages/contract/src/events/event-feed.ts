import Type from 'typebox';
import {
  EXAMPLE_EVENT,
  EXAMPLE_TIME,
  FreeObject,
  ListQuery,
  Moment,
  Nullable,
  OneOf,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';

export const FeedItem = Type.Object({
  event: FreeObject('The CloudEvent as it was received.', 'CloudEvent'),
  receivedAt: Timestamp('Time at which the event was accepted.'),
});

export const EventFeed = Type.Object({
  items: Type.Array(FeedItem, { description: 'Events of this page.' }),
  next: Nullable(Str('Cursor of the next page. `null` on the last page.')),
  resume: Nullable(
    Str(
      'Cursor for later events: after this page or, with `order=newest`, after the newest event. `null`: no event has been accepted yet.',
    ),
  ),
});

const WhichEvents = {
  spaceId: Type.Optional(
    Uuid(
      'ID of the space. Required with a session. With an API key, the default is the space of the key.',
    ),
  ),
  type: Type.Optional(
    Type.String({ minLength: 1, description: 'Return only events with exactly this `type`.' }),
  ),
  source: Type.Optional(
    Type.String({ minLength: 1, description: 'Return only events with exactly this `source`.' }),
  ),
  subject: Type.Optional(
    Type.String({ minLength: 1, description: 'Return only events with exactly this `subject`.' }),
  ),
};

export const listEvents = operation({
  id: 'listEvents',
  feature: 'events',
  method: 'GET',
  path: '/events',
  summary: 'List events',
  description:
    'Returns accepted events, oldest first, or newest first with `order=newest`. Each event appears once and cursors are stable. `next` is `null` on the last page. Pass `resume` as `after` without `order` to read events that are accepted later.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    ...ListQuery,
    ...WhichEvents,
    from: Type.Optional(Moment('Earliest time of receipt, inclusive.')),
    to: Type.Optional(Moment('Latest time of receipt, exclusive.')),
    order: Type.Optional(
      OneOf(
        ['oldest', 'newest'],
        'Order of the events. Default `oldest`. A cursor `next` is valid only with the order of its page.',
      ),
    ),
  }),
  responses: {
    200: json(
      'A page of events. If `type`, `source`, `subject`, `from` or `to` is given, the page can contain fewer than `limit` events even if more follow.',
      EventFeed,
      {
        items: [
          {
            event: {
              specversion: '1.0',
              id: 'order-1001-paid',
              source: 'https://shop.example/orders',
              type: 'example.order.paid',
            },
            receivedAt: EXAMPLE_TIME,
          },
        ],
        next: null,
        resume: 'MQ',
      },
    ),
  },
  errors: [400, 401, 403, 503],
});

export const streamEvents = operation({
  id: 'streamEvents',
  feature: 'events',
  method: 'GET',
  path: '/events/stream',
  summary: 'Stream events as they are accepted',
  description:
    'Returns server-sent events. The stream starts after the cursor in the header `Last-Event-ID`, which clients send when they reconnect, or after the cursor in `after`. Without either, the stream starts with the next accepted event. The `id` of each message is a cursor; its data is an item as in `GET /events`. The service closes a stream that falls too far behind, and all streams when it shuts down. If the credential or permission of a stream ends, the service closes the stream within seconds. Reconnect to resume.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Cursor to start after: `next` or `resume` of `GET /events`, or the `id` of a message.',
      }),
    ),
    ...WhichEvents,
  }),
  responses: {
    200: {
      description: 'Server-sent events. The stream does not end by itself.',
      mediaType: 'text/event-stream',
      example: `retry: 2000\nid: MA\n\nid: MQ\ndata: ${JSON.stringify({ event: EXAMPLE_EVENT, receivedAt: EXAMPLE_TIME })}\n\n`,
    },
  },
  errors: [400, 401, 403, 429, 503],
  errorExamples: {
    429: errorOf(
      'events.too-many-listeners',
      'The space has reached the maximum number of open streams. Close a stream, or retry after the delay in Retry-After.',
    ),
  },
});

import Type from 'typebox';
import {
  EXAMPLE_EVENT,
  EXAMPLE_TIME,
  FreeObject,
  ListQuery,
  Nullable,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';

const Moment = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} RFC 3339.` });

export const FeedItem = Type.Object({
  event: FreeObject('The CloudEvent as it was sent.'),
  receivedAt: Timestamp('When it was accepted.'),
});

const WhichEvents = {
  spaceId: Type.Optional(Uuid('The space; with an API key its own when absent.')),
  type: Type.Optional(Type.String({ minLength: 1, description: 'Only this `type`.' })),
  source: Type.Optional(Type.String({ minLength: 1, description: 'Only this `source`.' })),
  subject: Type.Optional(Type.String({ minLength: 1, description: 'Only this `subject`.' })),
};

export const listEvents = operation({
  id: 'listEvents',
  feature: 'events',
  method: 'GET',
  path: '/events',
  summary: 'The feed: accepted events, oldest first (any role, or a key with `read`)',
  description:
    'Each event once, with stable cursors. `next` is null at the end of what there is; `resume` is always the place to go on from.',
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    ...ListQuery,
    ...WhichEvents,
    from: Type.Optional(Moment('Received at or after.')),
    to: Type.Optional(Moment('Received before.')),
  }),
  answers: {
    200: {
      description: 'A page; with `type`, `source` or `subject` it may hold fewer than `limit`.',
      schema: Type.Object({
        items: Type.Array(FeedItem),
        next: Nullable(Type.String()),
        resume: Nullable(
          Type.String({ description: 'Pass it as `after` to read what came later.' }),
        ),
      }),
      example: {
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
    },
  },
  errors: [400, 401, 403, 503],
});

export const streamEvents = operation({
  id: 'streamEvents',
  feature: 'events',
  method: 'GET',
  path: '/events/stream',
  summary: 'The feed as it grows: server-sent events (any role, or a key with `read`)',
  description:
    'Begins with what is accepted from now on, or behind `after`; the header `Last-Event-ID`, which clients of server-sent events send by themselves when they connect again, goes before both. Each event has as `id` a cursor of the feed, and as data what is an item there. Whoever reads more slowly than events come is hung up on and resumes in the same way, as do all when the service stops. The stream ends within seconds when the credential or its right does.',
  credentials: ['session', 'apiKey'],
  query: Type.Object({
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Where to begin: `next` or `resume` of the feed, or the `id` of an event here.',
      }),
    ),
    ...WhichEvents,
  }),
  answers: {
    200: {
      description: 'Server-sent events, without an end of their own.',
      mediaType: 'text/event-stream',
      example: `retry: 2000\nid: MA\n\nid: MQ\ndata: ${JSON.stringify({ event: EXAMPLE_EVENT, receivedAt: EXAMPLE_TIME })}\n\n`,
    },
  },
  errors: [400, 401, 403, 429, 503],
  errorExamples: {
    429: {
      message: 'As many streams of this space are open as it may have; close some, or try again.',
      code: 'events.too-many-listeners',
    },
  },
});

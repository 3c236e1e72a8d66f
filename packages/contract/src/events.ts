import Type, { type TSchema } from 'typebox';
import { EXAMPLE_TIME, FreeObject, ListQuery, Nullable, Timestamp, Uuid } from './common.ts';
import { operation } from './operation.ts';

export const MAX_EVENTS_PER_REQUEST = 100;
export const MAX_INGEST_BYTES = 8 * 1024 * 1024;

const Auth = Type.Object(
  {
    apiKey: Type.Optional(Type.String({ description: 'An API key with `events:write`.' })),
    signature: Type.Optional(
      Type.String({
        description: 'Signature of the event by its event source: `v1,…`, several by spaces.',
      }),
    ),
    timestamp: Type.Optional(Type.String({ description: 'Unix seconds of the signature.' })),
  },
  { additionalProperties: false, description: 'Never stored, logged or sent on.' },
);

/** Section 2.4 of the interface, for the `application/json` door. */
export const CloudEvent = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      description: 'Unique identifier of the event within `source`.',
    }),
    source: Type.String({
      format: 'uri',
      description: 'Absolute URI of the context it happened in.',
    }),
    specversion: Type.Literal('1.0'),
    type: Type.String({ minLength: 1, description: 'Type of event.' }),
    datacontenttype: Type.Optional(Type.String({ minLength: 1 })),
    dataschema: Type.Optional(Type.String({ format: 'uri' })),
    subject: Type.Optional(Type.String({ minLength: 1 })),
    time: Type.Optional(
      Type.String({ description: '`YYYY-MM-DDTHH:MM[:SS[.fraction]]Z`, UTC with `Z` only.' }),
    ),
    data: Type.Optional(Type.Unknown({ description: 'Kept to the letter.' })),
    metadata: Type.Optional(
      Type.Object(
        {
          sender: Type.Optional(Type.String()),
          version: Type.Optional(Type.String()),
          environment: Type.Optional(Type.String()),
        },
        { additionalProperties: true },
      ),
    ),
  },
  {
    additionalProperties: true,
    description: 'Other members are extension attributes and are kept.',
  },
);

const OptionalText = Type.Optional(Nullable(Type.String({ minLength: 1 })));

/** CloudEvents 1.0.2 in its JSON format, for the doors of CloudEvents. */
export const StandardCloudEvent = Type.Object(
  {
    id: CloudEvent.properties.id,
    source: Type.String({
      minLength: 1,
      format: 'uri-reference',
      description: 'URI-reference of the context it happened in.',
    }),
    specversion: Type.Literal('1.0'),
    type: CloudEvent.properties.type,
    datacontenttype: OptionalText,
    dataschema: Type.Optional(Nullable(Type.String({ format: 'uri' }))),
    subject: OptionalText,
    time: Type.Optional(Nullable(Type.String({ description: 'RFC 3339, with any offset.' }))),
    data: CloudEvent.properties.data,
    data_base64: Type.Optional(
      Nullable(Type.String({ contentEncoding: 'base64', description: 'Instead of `data`.' })),
    ),
    auth: Type.Optional(Nullable(Auth)),
  },
  {
    additionalProperties: true,
    description:
      'Extension attributes are named with `a`-`z` and digits, and are strings, booleans or whole numbers of 32 bits. Null means that an attribute is not there.',
  },
);

export const IngestRequest = Type.Object(
  {
    events: Type.Array(Type.Object({ ...CloudEvent.properties, auth: Type.Optional(Auth) }), {
      maxItems: MAX_EVENTS_PER_REQUEST,
    }),
    auth: Type.Optional(Auth),
  },
  { additionalProperties: false },
);

export const IngestResult = Type.Object({
  success: Type.Boolean({ description: 'Whether no event failed.' }),
  processed: Type.Integer({ description: 'Events accepted, those seen before included.' }),
  failed: Type.Integer({ description: 'Events rejected.' }),
  eventIds: Type.Array(Type.String(), {
    description: 'Ids of the processed events, in request order.',
  }),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Position in the request.' }),
        error: Type.String({ description: 'Begins with the member.' }),
      }),
    ),
  ),
});
export type IngestResult = Type.Static<typeof IngestResult>;

const exampleEvent = {
  specversion: '1.0',
  id: 'order-1001-paid',
  source: 'https://shop.example/orders',
  type: 'example.order.paid',
  time: '2026-10-18T09:30:00Z',
  data: { order: 1001, total: 49.9 },
};

export const ingestEvents = operation({
  id: 'ingestEvents',
  feature: 'events',
  method: 'POST',
  path: '/events',
  summary: 'Ingest a batch of CloudEvents (a key with `events:write`, or edit rights)',
  description:
    'Up to 100 events, 8 MiB, in JSON or any mode of CloudEvents 1.0 over HTTP; the body may be compressed (gzip, deflate, br, zstd). The credential is the header, or a signature of the body by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), or `auth` beside `events`, or `auth` in each event. 200 means: on disk. An event with the same `source` and `id` as one before is counted as processed and stored once. Events of type `gatehouse.document.upserted` and `gatehouse.document.deleted` change the document that their `subject` names, and need `knowledge:write` as well.',
  credentials: ['session', 'apiKey', 'none'],
  query: Type.Object({
    spaceId: Type.Optional(Uuid('The space; needed with a session.')),
  }),
  body: IngestRequest,
  bodyLimit: MAX_INGEST_BYTES,
  bodyExample: { events: [exampleEvent] },
  otherBodies: {
    'application/cloudevents-batch+json': {
      schema: Type.Array(StandardCloudEvent, { maxItems: MAX_EVENTS_PER_REQUEST }),
      example: [exampleEvent],
    },
    'application/cloudevents+json': { schema: StandardCloudEvent, example: exampleEvent },
    '*/*': {
      schema: Type.Unknown({
        description:
          'The data of one event whose attributes are headers, `ce-specversion`, `ce-id`, `ce-source` and `ce-type` among them: CloudEvents in binary mode.',
      }),
      example: '<order id="1001"/>',
    },
  },
  answers: {
    200: {
      description: 'What became of each event.',
      schema: IngestResult,
      example: { success: true, processed: 1, failed: 0, eventIds: ['order-1001-paid'] },
    },
  },
  errors: [400, 401, 403, 413, 415, 429, 503],
  errorExamples: {
    429: {
      message:
        'This API key sends more than 1000 events a second; nothing of this request was kept, send it again in 2 seconds.',
      code: 'events.rate-limited',
    },
    401: {
      message: 'No event carries an accepted credential; send an API key.',
      code: 'events.no-credential',
    },
  },
});

const Moment = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} RFC 3339.` });

export const FeedItem = Type.Object({
  event: FreeObject('The CloudEvent as it was sent.'),
  receivedAt: Timestamp('When it was accepted.'),
});

const EventFilter = {
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
    spaceId: Type.Optional(Uuid('The space; with an API key its own when absent.')),
    ...ListQuery,
    ...EventFilter,
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
    spaceId: Type.Optional(Uuid('The space; with an API key its own when absent.')),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Where to begin: `next` or `resume` of the feed, or the `id` of an event here.',
      }),
    ),
    ...EventFilter,
  }),
  answers: {
    200: {
      description: 'Server-sent events, without an end of their own.',
      mediaType: 'text/event-stream',
      example: `retry: 2000\nid: MA\n\nid: MQ\ndata: ${JSON.stringify({ event: exampleEvent, receivedAt: EXAMPLE_TIME })}\n\n`,
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

const Counts = (description: string) => Type.Array(Type.Integer(), { description });
const PerMinute = Counts('One number for each minute.');

const NamedCounts = Type.Array(
  Type.Object({
    name: Nullable(Type.String({ description: 'Null: all others together.' })),
    total: Type.Integer(),
    perMinute: PerMinute,
  }),
  { description: 'The 50 that were met first, and the rest; the most frequent first.' },
);

const ReasonCounts = <T extends TSchema>(reason: T, description: string) =>
  Type.Array(Type.Object({ reason, total: Type.Integer(), perMinute: PerMinute }), { description });

const FailureReason = Type.Union([
  Type.Literal('invalid'),
  Type.Literal('unproven'),
  Type.Literal('forbidden'),
]);

const RefusalReason = Type.Union([
  Type.Literal('malformed'),
  Type.Literal('unproven'),
  Type.Literal('forbidden'),
  Type.Literal('rate-limited'),
  Type.Literal('overloaded'),
  Type.Literal('unavailable'),
]);

export const EventStats = Type.Object({
  since: Timestamp('Counts begin here: when the process did, an hour ago at most.'),
  firstMinute: Timestamp('The minute of the first of each 60 numbers; the last is under way.'),
  accepted: Counts('Events accepted in each minute, those seen before included.'),
  bytes: Counts('Bytes of their texts.'),
  types: NamedCounts,
  sources: NamedCounts,
  failures: ReasonCounts(
    FailureReason,
    'Events that failed in a request that was answered, where its credential says which space it was for.',
  ),
  refused: ReasonCounts(
    RefusalReason,
    'Requests by an API key of the space that were refused as a whole.',
  ),
  stored: Type.Integer({ description: 'Events stored in all, also those removed since.' }),
  listeners: Type.Integer({ description: 'Open streams of this process.' }),
  readers: Type.Array(
    Type.Object({
      name: Type.String(),
      lag: Type.Integer({ description: 'Events that it has still before it.' }),
    }),
    { description: 'Who hands events on, and how far it has got.' },
  ),
});
export type EventStats = Type.Static<typeof EventStats>;

const exampleMinutes = [...Array.from({ length: 58 }, () => 0), 2, 1];

export const showEventStats = operation({
  id: 'showEventStats',
  feature: 'events',
  method: 'GET',
  path: '/spaces/{spaceId}/events/stats',
  summary:
    'What came in during the last hour, and who has still to read it (any role, or a key with `read`)',
  description:
    '`stored` and `readers` are read from the store. Everything else is counted in the memory of the process that answers, and begins anew with it.',
  credentials: ['session', 'apiKey'],
  params: Type.Object({ spaceId: Uuid('The space.') }),
  answers: {
    200: {
      description: 'Counts by the minute.',
      schema: EventStats,
      example: {
        since: EXAMPLE_TIME,
        firstMinute: '2026-10-18T08:31:00.000Z',
        accepted: exampleMinutes,
        bytes: exampleMinutes.map((events) => events * 500),
        types: [{ name: 'example.order.paid', total: 3, perMinute: exampleMinutes }],
        sources: [{ name: 'https://shop.example/orders', total: 3, perMinute: exampleMinutes }],
        failures: [],
        refused: [],
        stored: 1001,
        listeners: 2,
        readers: [{ name: 'deliveries', lag: 0 }],
      },
    },
  },
  errors: [400, 401, 403],
});

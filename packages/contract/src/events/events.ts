import Type from 'typebox';
import { EXAMPLE_EVENT, Nullable, Uuid } from '../common.ts';
import { operation } from '../operation.ts';

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
  bodyExample: { events: [EXAMPLE_EVENT] },
  otherBodies: {
    'application/cloudevents-batch+json': {
      schema: Type.Array(StandardCloudEvent, { maxItems: MAX_EVENTS_PER_REQUEST }),
      example: [EXAMPLE_EVENT],
    },
    'application/cloudevents+json': { schema: StandardCloudEvent, example: EXAMPLE_EVENT },
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

import Type from 'typebox';
import { Bool, EXAMPLE_EVENT, Int, Nullable, Str, Uuid } from '../common.ts';
import { errorOf, json, operation } from '../operation.ts';

export const MAX_EVENTS_PER_REQUEST = 100;
export const MAX_INGEST_BYTES = 8 * 1024 * 1024;

export const EventAuth = Type.Object(
  {
    apiKey: Type.Optional(Str('An API key with the scope `events:write`.')),
    signature: Type.Optional(
      Str('Signature by the event source: `v1,…`. Separate several signatures with spaces.'),
    ),
    timestamp: Type.Optional(Str('Time of the signature in Unix seconds.')),
  },
  {
    additionalProperties: false,
    description: 'Credential. It is never stored, logged or forwarded.',
  },
);

/** An event in an `application/json` request. */
export const CloudEvent = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      description: 'Identifier of the event, unique within `source`.',
    }),
    source: Type.String({
      format: 'uri',
      description: 'Absolute URI of the context in which the event happened.',
    }),
    specversion: Type.Literal('1.0', { description: 'Version of the CloudEvents specification.' }),
    type: Type.String({ minLength: 1, description: 'Type of the event.' }),
    datacontenttype: Type.Optional(
      Type.String({ minLength: 1, description: 'Media type of `data`.' }),
    ),
    dataschema: Type.Optional(
      Type.String({ format: 'uri', description: 'Absolute URI of the schema of `data`.' }),
    ),
    subject: Type.Optional(
      Type.String({ minLength: 1, description: 'Subject of the event within `source`.' }),
    ),
    time: Type.Optional(Str('Time in UTC: `YYYY-MM-DDTHH:MM[:SS[.fraction]]Z`.')),
    data: Type.Optional(Type.Unknown({ description: 'Payload. Stored and delivered unchanged.' })),
    metadata: Type.Optional(
      Type.Object(
        {
          sender: Type.Optional(Str('Name of the sender.')),
          version: Type.Optional(Str('Version of the sender.')),
          environment: Type.Optional(Str('Environment of the sender.')),
        },
        { additionalProperties: true, description: 'Information about the sender.' },
      ),
    ),
  },
  {
    additionalProperties: true,
    description: 'Other members are extension attributes. They are stored unchanged.',
  },
);

const OptionalText = (description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, description })));

/** An event in the JSON format of CloudEvents 1.0.2. */
export const StandardCloudEvent = Type.Object(
  {
    id: CloudEvent.properties.id,
    source: Type.String({
      minLength: 1,
      format: 'uri-reference',
      description: 'URI reference of the context in which the event happened.',
    }),
    specversion: Type.Literal('1.0', { description: 'Version of the CloudEvents specification.' }),
    type: CloudEvent.properties.type,
    datacontenttype: OptionalText('Media type of `data`.'),
    dataschema: Type.Optional(
      Nullable(
        Type.String({ format: 'uri', description: 'Absolute URI of the schema of `data`.' }),
      ),
    ),
    subject: OptionalText('Subject of the event within `source`.'),
    time: Type.Optional(Nullable(Str('Time in RFC 3339 with any offset.'))),
    data: CloudEvent.properties.data,
    data_base64: Type.Optional(
      Nullable(
        Type.String({
          contentEncoding: 'base64',
          description: 'Binary payload in base64, instead of `data`.',
        }),
      ),
    ),
    auth: Type.Optional(Nullable(EventAuth)),
  },
  {
    additionalProperties: true,
    description:
      'Names of extension attributes consist of `a` to `z` and digits. Their values are strings, booleans or 32-bit integers. `null` means that an attribute is absent.',
  },
);

/** An event in an `application/json` request, with its own credential. */
export const IngestEvent = Type.Object({
  ...CloudEvent.properties,
  auth: Type.Optional(EventAuth),
});

export const IngestRequest = Type.Object(
  {
    events: Type.Array(IngestEvent, {
      maxItems: MAX_EVENTS_PER_REQUEST,
      description: 'CloudEvents. At most 100.',
    }),
    auth: Type.Optional(EventAuth),
  },
  { additionalProperties: false },
);

export const IngestResult = Type.Object({
  success: Bool('`true`: no event was rejected.'),
  processed: Int('Number of accepted events, including duplicates.'),
  failed: Int('Number of rejected events.'),
  eventIds: Type.Array(Type.String(), {
    description: 'IDs of the accepted events, in the order of the request.',
  }),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        index: Int('Index of the event in the request, from 0.'),
        error: Str('Problem with the event. Starts with the path of the invalid member.'),
      }),
      { description: 'Rejected events. Omitted if there are none.' },
    ),
  ),
});
export type IngestResult = Type.Static<typeof IngestResult>;

export const ingestEvents = operation({
  id: 'ingestEvents',
  feature: 'events',
  method: 'POST',
  path: '/events',
  summary: 'Ingest CloudEvents',
  description:
    'Accepts up to 100 events and 8 MiB per request, as JSON or in any content mode of CloudEvents 1.0 over HTTP. The body may be compressed with gzip, deflate, br or zstd. A 200 response means that the accepted events are stored durably. An event with the same `source` and `id` as an earlier one is accepted and not stored again.\n\nThe credential is one of: an API key or a session in a header, a signature of the body according to Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), `auth` next to `events`, or `auth` in each event.\n\nEvents of the types `gatehouse.document.upserted` and `gatehouse.document.deleted` change the document that `subject` identifies. An API key needs the scope `knowledge:write` for them.',
  permission:
    'Requires edit rights on the space, an API key with the scope `events:write`, or the signature of an event source.',
  credentials: ['session', 'apiKey', 'none'],
  query: Type.Object({
    spaceId: Type.Optional(Uuid('ID of the space. Required with a session.')),
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
          'The data of one event in the binary content mode of CloudEvents. The attributes are headers: `ce-specversion`, `ce-id`, `ce-source`, `ce-type` and others.',
      }),
      example: '<order id="1001"/>',
    },
  },
  responses: {
    200: json('The result of the request.', IngestResult, {
      success: true,
      processed: 1,
      failed: 0,
      eventIds: ['order-1001-paid'],
    }),
  },
  errors: [400, 401, 403, 413, 415, 429, 503],
  errorExamples: {
    415: errorOf(
      'http.media-type-unsupported',
      'The content type is not supported. Send application/json, application/cloudevents-batch+json or application/cloudevents+json in UTF-8, or any other type with the ce- headers of CloudEvents binary mode.',
    ),
    429: errorOf(
      'events.rate-limited',
      'This API key exceeds its limit of 1000 events per second; no event of this request was stored. Retry in 2 seconds.',
    ),
    401: errorOf(
      'events.no-credential',
      'No event has an accepted credential; send an API key with the scope events:write, a session and ?spaceId=, or the signature of an event source.',
    ),
  },
});

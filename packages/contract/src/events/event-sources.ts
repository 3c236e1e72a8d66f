import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Nullable,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';

/** How long the secret before is still accepted after a rotation that does not say, in seconds. */
export const KEEP_OLD_SECONDS = 86_400;
export const MAX_KEEP_OLD_SECONDS = 30 * 86_400;

export const SourceMatch = Type.Union([Type.Literal('exact'), Type.Literal('prefix')], {
  description:
    '`exact`: events with this very `source`. `prefix`: also those whose `source` goes on behind it at a boundary, so that `https://a.example` never means `https://a.example.evil`. Of several that cover an event the longest decides alone.',
});
export type SourceMatch = Type.Static<typeof SourceMatch>;

const SourceName = Text({ description: 'Who it is.', minLength: 1, maxLength: 200 });
const SourceUri = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'The `source` of its events, or how that begins. Compared to the letter.',
});
const Secret = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    '`whsec_` and 24 to 64 bytes in base64, as Standard Webhooks has it; made here when absent.',
});
const SignatureRequired = Type.Boolean({
  description: 'Whether its events are refused when a key or a session alone sends them.',
});

const FeedsKnowledge = Type.Boolean({
  description:
    'Whether its signature is enough for events that change documents (`gatehouse.document.…`). A key needs `knowledge:write` for them.',
});

const EventSourceSecret = Type.Object({
  createdAt: Timestamp('When it was made.'),
  endsAt: Nullable(Timestamp('Until when it is accepted; null for the current one.')),
});

export const EventSource = Type.Object({
  id: Uuid('The event source.'),
  spaceId: Uuid('The space it sends into.'),
  name: SourceName,
  source: SourceUri,
  match: SourceMatch,
  signatureRequired: SignatureRequired,
  feedsKnowledge: FeedsKnowledge,
  secrets: Type.Array(EventSourceSecret, {
    description: 'Those that are accepted now, the current one first. What they are is not shown.',
  }),
  createdAt: Timestamp('When it was registered.'),
});
export type EventSource = Type.Static<typeof EventSource>;

export const NewEventSource = Body({
  name: SourceName,
  source: SourceUri,
  match: Type.Optional(SourceMatch),
  signatureRequired: Type.Optional(SignatureRequired),
  feedsKnowledge: Type.Optional(FeedsKnowledge),
  secret: Type.Optional(Secret),
});
export type NewEventSource = Type.Static<typeof NewEventSource>;

export const EventSourceChange = Body({
  name: Type.Optional(SourceName),
  signatureRequired: Type.Optional(SignatureRequired),
  feedsKnowledge: Type.Optional(FeedsKnowledge),
});
export type EventSourceChange = Type.Static<typeof EventSourceChange>;

export const SecretRotation = Body({
  secret: Type.Optional(Secret),
  keepOldSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_KEEP_OLD_SECONDS,
      default: KEEP_OLD_SECONDS,
      description: 'How long the secret before is still accepted. Older ones end at once.',
    }),
  ),
});
export type SecretRotation = Type.Static<typeof SecretRotation>;

const WithSecret = Type.Object({
  ...EventSource.properties,
  secret: Type.String({ description: '`whsec_…`; this one time only.' }),
});
export type EventSourceWithSecret = Type.Static<typeof WithSecret>;

const exampleSource: EventSource = {
  id: '0199f3a2-7e40-7a1b-8c35-6d2f9b0e4a17',
  spaceId: EXAMPLE_SPACE_ID,
  name: 'shop backend',
  source: 'https://shop.example/orders',
  match: 'prefix',
  signatureRequired: true,
  feedsKnowledge: false,
  secrets: [{ createdAt: EXAMPLE_TIME, endsAt: null }],
  createdAt: EXAMPLE_TIME,
};
const withSecret = { ...exampleSource, secret: 'whsec_…' };
const noSuchSource = {
  message: 'There is no such event source in this space.',
  code: 'sources.not-found',
};
const SourcesParams = Type.Object({ spaceId: Uuid('The space.') });
const SourceParams = Type.Object({
  spaceId: Uuid('The space.'),
  sourceId: Uuid('The event source.'),
});

export const createEventSource = operation({
  id: 'createEventSource',
  feature: 'sources',
  method: 'POST',
  path: '/spaces/{spaceId}/event-sources',
  summary: 'Register an event source (edit rights)',
  description:
    'Its secret signs events: a whole request by Standard Webhooks, or each event by `auth.signature`. 100 sources a space at most.',
  credentials: ['session'],
  params: SourcesParams,
  body: NewEventSource,
  bodyExample: {
    name: 'shop backend',
    source: 'https://shop.example/orders',
    match: 'prefix',
    signatureRequired: true,
  },
  answers: {
    201: {
      description: 'The event source, with its secret this one time only.',
      schema: WithSecret,
      example: withSecret,
    },
  },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: {
      message: 'This space has an event source with this `source` and `match` already.',
      code: 'sources.exists',
    },
  },
});

export const listEventSources = operation({
  id: 'listEventSources',
  feature: 'sources',
  method: 'GET',
  path: '/spaces/{spaceId}/event-sources',
  summary: 'List event sources (edit rights)',
  credentials: ['session'],
  params: SourcesParams,
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Event sources, oldest first.',
      schema: ListOf(EventSource),
      example: { items: [exampleSource], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showEventSource = operation({
  id: 'showEventSource',
  feature: 'sources',
  method: 'GET',
  path: '/spaces/{spaceId}/event-sources/{sourceId}',
  summary: 'Show an event source (edit rights)',
  credentials: ['session'],
  params: SourceParams,
  answers: {
    200: { description: 'The event source.', schema: EventSource, example: exampleSource },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSource },
});

export const changeEventSource = operation({
  id: 'changeEventSource',
  feature: 'sources',
  method: 'PATCH',
  path: '/spaces/{spaceId}/event-sources/{sourceId}',
  summary: 'Rename an event source, require signatures, or let it feed knowledge (edit rights)',
  description: 'Its `source` and `match` stay: register another one instead.',
  credentials: ['session'],
  params: SourceParams,
  body: EventSourceChange,
  bodyExample: { signatureRequired: true },
  answers: {
    200: { description: 'The event source.', schema: EventSource, example: exampleSource },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSource },
});

export const rotateEventSourceSecret = operation({
  id: 'rotateEventSourceSecret',
  feature: 'sources',
  method: 'POST',
  path: '/spaces/{spaceId}/event-sources/{sourceId}/secrets',
  summary: 'Give an event source a new secret (edit rights)',
  description:
    'The secret before is accepted for a while, so that senders can change over; `keepOldSeconds: 0` ends it at once. Two at most are accepted at a time.',
  credentials: ['session'],
  params: SourceParams,
  body: SecretRotation,
  bodyExample: { keepOldSeconds: 3600 },
  answers: {
    201: {
      description: 'The event source, with its new secret this one time only.',
      schema: WithSecret,
      example: {
        ...withSecret,
        secrets: [
          { createdAt: '2026-11-18T09:30:00.000Z', endsAt: null },
          { createdAt: EXAMPLE_TIME, endsAt: '2026-11-18T10:30:00.000Z' },
        ],
      },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSource },
});

export const deleteEventSource = operation({
  id: 'deleteEventSource',
  feature: 'sources',
  method: 'DELETE',
  path: '/spaces/{spaceId}/event-sources/{sourceId}',
  summary: 'Delete an event source with its secrets (edit rights)',
  description: 'Its signatures are refused from the next request on; its events stay.',
  credentials: ['session'],
  params: SourceParams,
  answers: { 204: { description: 'The event source is gone.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSource },
});

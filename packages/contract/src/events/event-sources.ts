import Type from 'typebox';
import {
  Body,
  Bool,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  OneOf,
  SpaceParams,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import {
  exampleRotatedSecrets,
  exampleSecrets,
  GivenSecret,
  SecretPeriods,
  SecretRotation,
  ShownSecret,
} from './signing-secrets.ts';

export const SourceMatch = OneOf(
  ['exact', 'prefix'],
  '`exact` covers events with exactly this `source`. `prefix` also covers longer `source` values that continue after a boundary. A boundary is `/`, `?` or `#`, or `:` in a URI without an authority. The prefix `https://a.example` does not cover `https://a.example.evil`. If several event sources cover an event, the one with the longest `source` applies. Default `exact`.',
);
export type SourceMatch = Type.Static<typeof SourceMatch>;

/** Maximum length of the `source` of a registered event source. */
export const MAX_SOURCE_LENGTH = 1000;

const SourceName = Text({ description: 'Name of the sender.', minLength: 1, maxLength: 200 });
const SourceUri = Type.String({
  minLength: 1,
  maxLength: MAX_SOURCE_LENGTH,
  description:
    'The `source` of the events, or a prefix of it. Percent-encoding is not decoded before the comparison.',
});
const SignatureRequired = Bool(
  '`true`: unsigned events of this source are rejected, even with an API key or a session. Default `false`.',
);
const FeedsKnowledge = Bool(
  '`true`: signed events of this source may change documents (`gatehouse.document.…`). Default `false`. Events sent with an API key need the scope `knowledge:write` instead.',
);

export const EventSource = Type.Object({
  id: Uuid('ID of the event source.'),
  spaceId: Uuid('ID of the space.'),
  name: SourceName,
  source: SourceUri,
  match: SourceMatch,
  signatureRequired: SignatureRequired,
  feedsKnowledge: FeedsKnowledge,
  secrets: SecretPeriods,
  createdAt: Timestamp('Time of registration.'),
});
export type EventSource = Type.Static<typeof EventSource>;

export const NewEventSource = Body({
  name: SourceName,
  source: SourceUri,
  match: Type.Optional(SourceMatch),
  signatureRequired: Type.Optional(SignatureRequired),
  feedsKnowledge: Type.Optional(FeedsKnowledge),
  secret: Type.Optional(GivenSecret),
});
export type NewEventSource = Type.Static<typeof NewEventSource>;

export const EventSourceChange = Body({
  name: Type.Optional(SourceName),
  signatureRequired: Type.Optional(SignatureRequired),
  feedsKnowledge: Type.Optional(FeedsKnowledge),
});
export type EventSourceChange = Type.Static<typeof EventSourceChange>;

export const EventSourceList = ListOf(EventSource);

export const EventSourceWithSecret = Type.Object({
  ...EventSource.properties,
  secret: ShownSecret,
});
export type EventSourceWithSecret = Type.Static<typeof EventSourceWithSecret>;

const exampleSource: EventSource = {
  id: '0199f3a2-7e40-7a1b-8c35-6d2f9b0e4a17',
  spaceId: EXAMPLE_SPACE_ID,
  name: 'shop backend',
  source: 'https://shop.example/orders',
  match: 'prefix',
  signatureRequired: true,
  feedsKnowledge: false,
  secrets: exampleSecrets,
  createdAt: EXAMPLE_TIME,
};
const exampleWithSecret = { ...exampleSource, secret: 'whsec_…' };

const onCollection = {
  feature: 'sources',
  path: '/spaces/{spaceId}/event-sources',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
} as const;

const onSource = {
  feature: 'sources',
  path: '/spaces/{spaceId}/event-sources/{sourceId}',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: Type.Object({ ...SpaceParams.properties, sourceId: Uuid('ID of the event source.') }),
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: errorOf('sources.not-found', 'No event source with this ID exists in this space.'),
  },
} as const;

export const createEventSource = operation({
  ...onCollection,
  id: 'createEventSource',
  method: 'POST',
  idempotent: true,
  summary: 'Register an event source',
  description:
    'The secret of the source signs events: either whole requests (Standard Webhooks) or individual events (`auth.signature`). A space has at most 100 event sources.',
  body: NewEventSource,
  bodyExample: {
    name: 'shop backend',
    source: 'https://shop.example/orders',
    match: 'prefix',
    signatureRequired: true,
  },
  responses: {
    201: json(
      'The registered event source with its secret.',
      EventSourceWithSecret,
      exampleWithSecret,
    ),
  },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: errorOf(
      'sources.exists',
      'This space already has an event source with this `source` and `match`; change that event source instead.',
    ),
  },
});

export const listEventSources = operation({
  ...onCollection,
  id: 'listEventSources',
  method: 'GET',
  summary: 'List event sources',
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Event sources, oldest first.', EventSourceList, [exampleSource]),
  },
  errors: [400, 401, 403],
});

export const showEventSource = operation({
  ...onSource,
  id: 'showEventSource',
  method: 'GET',
  summary: 'Get an event source',
  responses: { 200: json('The event source.', EventSource, exampleSource) },
});

export const changeEventSource = operation({
  ...onSource,
  id: 'changeEventSource',
  method: 'PATCH',
  summary: 'Update an event source',
  description:
    'Omitted members keep their values. `source` and `match` cannot be changed; register another event source instead.',
  body: EventSourceChange,
  bodyExample: { signatureRequired: true },
  responses: { 200: json('The event source.', EventSource, exampleSource) },
});

export const rotateEventSourceSecret = operation({
  ...onSource,
  id: 'rotateEventSourceSecret',
  method: 'POST',
  path: '/spaces/{spaceId}/event-sources/{sourceId}/secrets',
  summary: 'Rotate the secret of an event source',
  description:
    'The previous secret stays valid for `keepOldSeconds`, so senders can switch without interruption.',
  body: SecretRotation,
  bodyExample: { keepOldSeconds: 3600 },
  bodyOptional: true,
  responses: {
    201: json('The event source with its new secret.', EventSourceWithSecret, {
      ...exampleWithSecret,
      secrets: exampleRotatedSecrets,
    }),
  },
});

export const deleteEventSource = operation({
  ...onSource,
  id: 'deleteEventSource',
  method: 'DELETE',
  summary: 'Delete an event source with its secrets',
  description: 'Its signatures become invalid immediately. Events that it sent remain stored.',
  responses: { 204: { description: 'The event source was deleted.' } },
});

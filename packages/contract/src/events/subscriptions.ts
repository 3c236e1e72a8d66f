import Type from 'typebox';
import {
  Body,
  EXAMPLE_SPACE_ID,
  EXAMPLE_SUBSCRIPTION_ID,
  EXAMPLE_TIME,
  ListOf,
  ListQuery,
  Nullable,
  Timestamp,
  Uuid,
} from '../common.ts';
import { operation } from '../operation.ts';
import { SecretRotation } from './event-sources.ts';

const TargetUrl = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'Where events are sent by POST: `https://` or `http://`, without credentials and fragment. Its address must be public, unless the operator allows others.',
});

const Patterns = (what: string) =>
  Nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      minItems: 1,
      maxItems: 100,
      description: `Only events with one of these ${what}, each to the letter, or how it begins when it ends with \`*\`. Null or absent: all.`,
    }),
  );
const Types = Patterns('`type`s');
const Sources = Patterns('`source`s');

const Secret = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    '`whsec_` and 24 to 64 bytes in base64, as Standard Webhooks has it; made here when absent.',
});

export const SubscriptionState = Type.Union(
  [Type.Literal('active'), Type.Literal('disabled'), Type.Literal('ended')],
  {
    description:
      '`disabled`: by somebody who may edit. `ended`: by its target, which answered 410 Gone. Both go on where they were when they are set to `active`.',
  },
);
export type SubscriptionState = Type.Static<typeof SubscriptionState>;

const SubscriptionSecret = Type.Object({
  createdAt: Timestamp('When it was made.'),
  endsAt: Nullable(Timestamp('Until when it signs too; null for the current one.')),
});

export const Subscription = Type.Object({
  id: Uuid('The subscription.'),
  spaceId: Uuid('The space whose events it sends.'),
  url: Type.String({
    description: 'Where to. Who has no edit rights sees no more than scheme, host and port.',
  }),
  types: Types,
  sources: Sources,
  state: SubscriptionState,
  endReason: Nullable(Type.String({ description: 'Why it ended; null for the other states.' })),
  secrets: Type.Array(SubscriptionSecret, {
    description: 'Those that sign now, the current one first. What they are is not shown.',
  }),
  lag: Type.Integer({
    description:
      'Events of the space that it has yet to look at, whether it will send them or not.',
  }),
  waiting: Type.Integer({
    description: 'Deliveries that failed and are tried again, and those that wait behind them.',
  }),
  parked: Type.Integer({ description: 'Deliveries that were given up after three days.' }),
  held: Nullable(
    Type.String({
      description: 'Why it looks at no further events while it is active; null while it does.',
    }),
  ),
  lastDeliveredAt: Nullable(Timestamp('When its target last answered 2xx.')),
  lastFailure: Nullable(
    Type.Object({
      at: Timestamp('When an attempt last failed.'),
      status: Nullable(Type.Integer({ description: 'What was answered; null for no answer.' })),
      message: Type.String({ description: 'Why.' }),
    }),
  ),
  createdAt: Timestamp('When it was made: it sends what came later.'),
});
export type Subscription = Type.Static<typeof Subscription>;

export const NewSubscription = Body({
  url: TargetUrl,
  types: Type.Optional(Types),
  sources: Type.Optional(Sources),
  secret: Type.Optional(Secret),
});
export type NewSubscription = Type.Static<typeof NewSubscription>;

export const SubscriptionChange = Body({
  url: Type.Optional(TargetUrl),
  types: Type.Optional(Types),
  sources: Type.Optional(Sources),
  state: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('disabled')], {
      description: '`active` goes on where it was, and tries at once what waits.',
    }),
  ),
});
export type SubscriptionChange = Type.Static<typeof SubscriptionChange>;

const WithSecret = Type.Object({
  ...Subscription.properties,
  secret: Type.String({ description: '`whsec_…`; this one time only.' }),
});
export type SubscriptionWithSecret = Type.Static<typeof WithSecret>;

export const SubscriptionTest = Type.Object({
  delivered: Type.Boolean({ description: 'Whether the target answered 2xx.' }),
  status: Nullable(Type.Integer({ description: 'What was answered; null for no answer.' })),
  message: Nullable(Type.String({ description: 'What failed; null when nothing did.' })),
});
export type SubscriptionTest = Type.Static<typeof SubscriptionTest>;

const exampleSubscription: Subscription = {
  id: EXAMPLE_SUBSCRIPTION_ID,
  spaceId: EXAMPLE_SPACE_ID,
  url: 'https://billing.example/hooks/gatehouse',
  types: ['example.order.*'],
  sources: null,
  state: 'active',
  endReason: null,
  secrets: [{ createdAt: EXAMPLE_TIME, endsAt: null }],
  lag: 0,
  waiting: 0,
  parked: 0,
  held: null,
  lastDeliveredAt: EXAMPLE_TIME,
  lastFailure: null,
  createdAt: EXAMPLE_TIME,
};
const withSecret = { ...exampleSubscription, secret: 'whsec_…' };
const noSuchSubscription = {
  message: 'There is no such subscription in this space.',
  code: 'deliveries.no-subscription',
};
const SubscriptionsParams = Type.Object({ spaceId: Uuid('The space.') });
export const SubscriptionParams = Type.Object({
  spaceId: Uuid('The space.'),
  subscriptionId: Uuid('The subscription.'),
});

export const createSubscription = operation({
  id: 'createSubscription',
  feature: 'deliveries',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions',
  summary: 'Subscribe a URL to the events of a space (edit rights)',
  description:
    'Each event accepted from now on is sent there as a CloudEvent (`application/cloudevents+json`), signed by Standard Webhooks, at least once, and in order for each `source` and `subject`. 100 subscriptions a space at most.',
  credentials: ['session'],
  params: SubscriptionsParams,
  body: NewSubscription,
  bodyExample: { url: 'https://billing.example/hooks/gatehouse', types: ['example.order.*'] },
  answers: {
    201: {
      description: 'The subscription, with its secret this one time only.',
      schema: WithSecret,
      example: withSecret,
    },
  },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: {
      message: 'A space has 100 subscriptions at most; delete one.',
      code: 'deliveries.too-many',
    },
  },
});

export const listSubscriptions = operation({
  id: 'listSubscriptions',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions',
  summary: 'List subscriptions (any role, or a key with `read`)',
  credentials: ['session', 'apiKey'],
  params: SubscriptionsParams,
  query: Type.Object(ListQuery),
  answers: {
    200: {
      description: 'Subscriptions, oldest first.',
      schema: ListOf(Subscription),
      example: { items: [exampleSubscription], next: null },
    },
  },
  errors: [400, 401, 403],
});

export const showSubscription = operation({
  id: 'showSubscription',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}',
  summary: 'Show a subscription and how it fares (any role, or a key with `read`)',
  credentials: ['session', 'apiKey'],
  params: SubscriptionParams,
  answers: {
    200: { description: 'The subscription.', schema: Subscription, example: exampleSubscription },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
});

export const changeSubscription = operation({
  id: 'changeSubscription',
  feature: 'deliveries',
  method: 'PATCH',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}',
  summary: 'Change a subscription, disable it, or let it go on (edit rights)',
  description:
    'Attempts under way are broken off and made again as the subscription then is. A new `url` and `state: active` try at once what waits. Events that come while it is disabled are sent when it goes on; to leave them out, make a new one.',
  credentials: ['session'],
  params: SubscriptionParams,
  body: SubscriptionChange,
  bodyExample: { state: 'active' },
  answers: {
    200: { description: 'The subscription.', schema: Subscription, example: exampleSubscription },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
});

export const rotateSubscriptionSecret = operation({
  id: 'rotateSubscriptionSecret',
  feature: 'deliveries',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/secrets',
  summary: 'Give a subscription a new secret (edit rights)',
  description:
    'For a while both secrets sign each delivery, so that the target can change over; `keepOldSeconds: 0` ends the one before at once.',
  credentials: ['session'],
  params: SubscriptionParams,
  body: SecretRotation,
  bodyExample: { keepOldSeconds: 3600 },
  answers: {
    201: {
      description: 'The subscription, with its new secret this one time only.',
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
  errorExamples: { 404: noSuchSubscription },
});

export const testSubscription = operation({
  id: 'testSubscription',
  feature: 'deliveries',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/test',
  summary:
    'Send one event of type `gatehouse.subscription.test` and say what came of it (edit rights)',
  description:
    'It is signed as any other, sent once whatever the state of the subscription, and kept nowhere. A 410 ends nothing here.',
  credentials: ['session'],
  params: SubscriptionParams,
  answers: {
    200: {
      description: 'What came of it.',
      schema: SubscriptionTest,
      example: { delivered: true, status: 204, message: null },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
});

export const deleteSubscription = operation({
  id: 'deleteSubscription',
  feature: 'deliveries',
  method: 'DELETE',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}',
  summary: 'Delete a subscription with its deliveries (edit rights)',
  description: 'Nothing of it is sent any more, whatever waits or is parked.',
  credentials: ['session'],
  params: SubscriptionParams,
  answers: { 204: { description: 'The subscription is gone.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
});

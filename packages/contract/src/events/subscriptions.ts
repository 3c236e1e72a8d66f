import Type from 'typebox';
import {
  Body,
  Bool,
  EXAMPLE_SPACE_ID,
  EXAMPLE_SUBSCRIPTION_ID,
  EXAMPLE_TIME,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
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

/** Prefix of the types of events about subscriptions. Only the service itself emits them. */
export const SUBSCRIPTION_EVENT_PREFIX = 'gatehouse.subscription.';

const TargetUrl = Text({
  minLength: 1,
  maxLength: 2000,
  description:
    'URL that receives events by POST: `https://` or `http://`, without credentials or a fragment. The host must have a public address unless the operator allows its address.',
});

const Patterns = (attribute: string) =>
  Nullable(
    Type.Array(Text({ description: 'Value or prefix.', minLength: 1, maxLength: 1000 }), {
      minItems: 1,
      maxItems: 100,
      description: `Values of \`${attribute}\` to deliver. A trailing \`*\` matches a prefix. \`null\` or omitted: all values.`,
    }),
  );
const Types = Patterns('type');
const Sources = Patterns('source');

const Status = Nullable(Int('Response status of the target. `null`: no response.'));

export const SubscriptionState = OneOf(
  ['active', 'disabled', 'ended'],
  '`disabled`: paused by a user. `ended`: paused because the target returned 410 Gone. Set the state to `active` to continue from the same event.',
);

export const Replay = Type.Object({
  state: OneOf(
    ['running', 'finished', 'cancelled'],
    '`finished`: each event was delivered or has a waiting or parked delivery. A running replay pauses while its subscription is not active.',
  ),
  from: Timestamp('Earliest time of receipt of the replayed events.'),
  remaining: Int(
    'Number of events in the space that the replay has not processed yet, including those that it will not deliver.',
  ),
  startedAt: Timestamp('Time of the request.'),
  endedAt: Nullable(
    Timestamp('Time at which the replay finished or was cancelled. `null`: the replay is running.'),
  ),
});
export type Replay = Type.Static<typeof Replay>;

export const Subscription = Type.Object({
  id: Uuid('ID of the subscription.'),
  spaceId: Uuid('ID of the space.'),
  url: Str(
    'URL that receives the events. Callers without edit rights see only scheme, host and port.',
  ),
  types: Types,
  sources: Sources,
  state: SubscriptionState,
  endReason: Nullable(Str('Reason for the state `ended`. `null` in other states.')),
  secrets: SecretPeriods,
  lag: Int(
    'Number of events in the space that the subscription has not processed yet, including those that it will not deliver.',
  ),
  waiting: Int('Number of deliveries that failed and will be retried, or that wait behind them.'),
  parked: Int('Number of deliveries that were abandoned after three days of failed attempts.'),
  held: Nullable(
    Str(
      'Reason why an active subscription does not process further events. `null`: the subscription is not held.',
    ),
  ),
  lastDeliveredAt: Nullable(Timestamp('Time of the last 2xx response. `null`: none yet.')),
  lastFailure: Nullable(
    Type.Object(
      {
        at: Timestamp('Time of the attempt.'),
        status: Status,
        message: Str('Reason for the failure.'),
      },
      { description: 'The last failed attempt.' },
    ),
  ),
  replay: Nullable(Replay),
  createdAt: Timestamp('Time of creation. Only events accepted later are delivered.'),
});
export type Subscription = Type.Static<typeof Subscription>;

export const NewSubscription = Body({
  url: TargetUrl,
  types: Type.Optional(Types),
  sources: Type.Optional(Sources),
  secret: Type.Optional(GivenSecret),
});
export type NewSubscription = Type.Static<typeof NewSubscription>;

export const SubscriptionChange = Body({
  url: Type.Optional(TargetUrl),
  types: Type.Optional(Types),
  sources: Type.Optional(Sources),
  state: Type.Optional(
    OneOf(
      ['active', 'disabled'],
      '`active` resumes the subscription and retries waiting deliveries immediately.',
    ),
  ),
});
export type SubscriptionChange = Type.Static<typeof SubscriptionChange>;

export const SubscriptionList = ListOf(Subscription);

export const SubscriptionWithSecret = Type.Object({
  ...Subscription.properties,
  secret: ShownSecret,
});
export type SubscriptionWithSecret = Type.Static<typeof SubscriptionWithSecret>;

export const SubscriptionTest = Type.Object({
  delivered: Bool('`true`: the target returned a 2xx status.'),
  status: Status,
  message: Nullable(Str('Reason for the failure. `null`: no failure.')),
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
  secrets: exampleSecrets,
  lag: 0,
  waiting: 0,
  parked: 0,
  held: null,
  lastDeliveredAt: EXAMPLE_TIME,
  lastFailure: null,
  replay: null,
  createdAt: EXAMPLE_TIME,
};
const exampleWithSecret = { ...exampleSubscription, secret: 'whsec_…' };

export const SubscriptionParams = Type.Object({
  ...SpaceParams.properties,
  subscriptionId: Uuid('ID of the subscription.'),
});

const forViewers = {
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
} as const;
const forEditors = { permission: PERMISSIONS.edit, credentials: ['session'] } as const;

const onCollection = {
  feature: 'deliveries',
  path: '/spaces/{spaceId}/subscriptions',
  params: SpaceParams,
} as const;

export const noSuchSubscription = errorOf(
  'deliveries.no-subscription',
  'No subscription with this ID exists in this space.',
);

const onSubscription = {
  feature: 'deliveries',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}',
  params: SubscriptionParams,
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
} as const;

export const createSubscription = operation({
  ...onCollection,
  ...forEditors,
  id: 'createSubscription',
  method: 'POST',
  idempotent: true,
  summary: 'Subscribe a URL to the events of a space',
  description:
    'Events accepted from now on are sent to the URL as CloudEvents (`application/cloudevents+json`), signed according to Standard Webhooks. Each event is delivered at least once. Events with the same `source` and `subject` are delivered in order. A space has at most 100 subscriptions.',
  body: NewSubscription,
  bodyExample: { url: 'https://billing.example/hooks/gatehouse', types: ['example.order.*'] },
  responses: {
    201: json(
      'The created subscription with its secret.',
      SubscriptionWithSecret,
      exampleWithSecret,
    ),
  },
  errors: [400, 401, 403, 409],
  errorExamples: {
    409: errorOf(
      'deliveries.too-many',
      'A space can have at most 100 subscriptions; delete one first.',
    ),
  },
});

export const listSubscriptions = operation({
  ...onCollection,
  ...forViewers,
  id: 'listSubscriptions',
  method: 'GET',
  summary: 'List subscriptions',
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Subscriptions, oldest first.', SubscriptionList, [exampleSubscription]),
  },
  errors: [400, 401, 403],
});

export const showSubscription = operation({
  ...onSubscription,
  ...forViewers,
  id: 'showSubscription',
  method: 'GET',
  summary: 'Get a subscription and its status',
  responses: { 200: json('The subscription.', Subscription, exampleSubscription) },
});

export const changeSubscription = operation({
  ...onSubscription,
  ...forEditors,
  id: 'changeSubscription',
  method: 'PATCH',
  summary: 'Update, disable or resume a subscription',
  description:
    'Omitted members keep their values. Attempts in flight are cancelled and repeated with the new settings. A new `url` or `state: active` retries waiting deliveries immediately. Events that are accepted while a subscription is disabled are delivered when it resumes. To skip them, create a new subscription.',
  body: SubscriptionChange,
  bodyExample: { state: 'active' },
  responses: { 200: json('The subscription.', Subscription, exampleSubscription) },
});

export const rotateSubscriptionSecret = operation({
  ...onSubscription,
  ...forEditors,
  id: 'rotateSubscriptionSecret',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/secrets',
  summary: 'Rotate the secret of a subscription',
  description:
    'Both secrets sign each delivery for `keepOldSeconds`, so the target can switch without interruption.',
  body: SecretRotation,
  bodyExample: { keepOldSeconds: 3600 },
  bodyOptional: true,
  responses: {
    201: json('The subscription with its new secret.', SubscriptionWithSecret, {
      ...exampleWithSecret,
      secrets: exampleRotatedSecrets,
    }),
  },
});

export const testSubscription = operation({
  ...onSubscription,
  ...forEditors,
  id: 'testSubscription',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/test',
  summary: 'Send a test event to a subscription',
  description:
    'Sends one signed event of type `gatehouse.subscription.test`, in any state of the subscription, and returns the result. The event is not retried or stored. A 410 response does not end the subscription.',
  responses: {
    200: json('The result of the attempt.', SubscriptionTest, {
      delivered: true,
      status: 204,
      message: null,
    }),
  },
});

export const deleteSubscription = operation({
  ...onSubscription,
  ...forEditors,
  id: 'deleteSubscription',
  method: 'DELETE',
  summary: 'Delete a subscription with its deliveries',
  description: 'Waiting and parked deliveries are discarded.',
  responses: { 204: { description: 'The subscription was deleted.' } },
});

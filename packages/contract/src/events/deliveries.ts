import Type from 'typebox';
import {
  EXAMPLE_DELIVERY_ID,
  EXAMPLE_TIME,
  FreeObject,
  ListOf,
  ListQuery,
  Nullable,
  Timestamp,
} from '../common.ts';
import { operation } from '../operation.ts';
import { SubscriptionParams } from './subscriptions.ts';

const DeliveryState = Type.Union([Type.Literal('waiting'), Type.Literal('parked')], {
  description:
    '`waiting`: is tried again, or waits behind one of its `source` and `subject` that is. `parked`: was given up after three days, and holds nothing back.',
});
export type DeliveryState = Type.Static<typeof DeliveryState>;

export const Delivery = Type.Object({
  id: Type.String({ description: 'The delivery: the `webhook-id` that each attempt carries.' }),
  state: DeliveryState,
  eventId: Type.String({ description: '`id` of the event.' }),
  source: Type.String({ description: '`source` of the event.' }),
  type: Type.String({ description: '`type` of the event.' }),
  subject: Nullable(Type.String({ description: '`subject` of the event; null when it has none.' })),
  receivedAt: Timestamp('When the event was accepted.'),
  attempts: Type.Integer({
    description: 'How often it was sent; 0 while it waits behind another.',
  }),
  waitingSince: Timestamp('Since when it waits; three days later it is parked.'),
  nextAttemptAt: Nullable(
    Timestamp('When it is sent again, at the earliest; null when it is parked.'),
  ),
  lastAttemptAt: Nullable(Timestamp('When it was last sent.')),
  status: Nullable(
    Type.Integer({ description: 'What the last attempt was answered; null for no answer.' }),
  ),
  failure: Nullable(Type.String({ description: 'Why the last attempt failed.' })),
});
export type Delivery = Type.Static<typeof Delivery>;

const DeliveryWithEvent = Type.Object({
  ...Delivery.properties,
  event: FreeObject('The CloudEvent, as it is sent.'),
});

const exampleDelivery: Delivery = {
  id: EXAMPLE_DELIVERY_ID,
  state: 'parked',
  eventId: 'order-1001-paid',
  source: 'https://shop.example/orders',
  type: 'example.order.paid',
  subject: 'order/1001',
  receivedAt: EXAMPLE_TIME,
  attempts: 84,
  waitingSince: EXAMPLE_TIME,
  nextAttemptAt: null,
  lastAttemptAt: '2026-10-21T09:30:00.000Z',
  status: 500,
  failure: 'the target answered 500',
};
const noSuchDelivery = {
  message: 'There is no such delivery of this subscription that waits or is parked.',
  code: 'deliveries.not-found',
};
const DeliveryParams = Type.Object({
  ...SubscriptionParams.properties,
  deliveryId: Type.String({ minLength: 1, maxLength: 100, description: 'The delivery.' }),
});
const ResentDeliveries = Type.Object({
  count: Type.Integer({ description: 'How many are sent again.' }),
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries',
  summary: 'List the deliveries that wait or are parked (any role, or a key with `read`)',
  description: 'What was delivered is not listed: it stands in the feed alone.',
  credentials: ['session', 'apiKey'],
  params: SubscriptionParams,
  query: Type.Object({ ...ListQuery, state: Type.Optional(DeliveryState) }),
  paramsExample: { state: 'parked' },
  answers: {
    200: {
      description: 'Deliveries, in the order of their events.',
      schema: ListOf(Delivery),
      example: { items: [exampleDelivery], next: null },
    },
  },
  errors: [400, 401, 403, 404],
});

export const showDelivery = operation({
  id: 'showDelivery',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}',
  summary: 'Show a delivery with its event (any role, or a key with `read`)',
  credentials: ['session', 'apiKey'],
  params: DeliveryParams,
  answers: {
    200: {
      description: 'The delivery.',
      schema: DeliveryWithEvent,
      example: {
        ...exampleDelivery,
        event: {
          specversion: '1.0',
          id: 'order-1001-paid',
          source: 'https://shop.example/orders',
          type: 'example.order.paid',
          subject: 'order/1001',
        },
      },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchDelivery },
});

export const resendDelivery = operation({
  id: 'resendDelivery',
  feature: 'deliveries',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}/resend',
  summary: 'Send a delivery again (edit rights)',
  description:
    'A parked one waits anew, for three days at most, and holds back no event that is not sent again itself. One that waits is tried now, if it is the first of its `source` and `subject`.',
  credentials: ['session'],
  params: DeliveryParams,
  answers: {
    200: {
      description: 'The delivery, about to be sent.',
      schema: Delivery,
      example: { ...exampleDelivery, state: 'waiting', nextAttemptAt: EXAMPLE_TIME },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchDelivery },
});

export const resendDeliveries = operation({
  id: 'resendDeliveries',
  feature: 'deliveries',
  method: 'POST',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/resend',
  summary: 'Send all parked deliveries again (edit rights)',
  description: 'In order for each `source` and `subject`, among themselves.',
  credentials: ['session'],
  params: SubscriptionParams,
  answers: {
    200: {
      description: 'How many there were.',
      schema: ResentDeliveries,
      example: { count: 12 },
    },
  },
  errors: [400, 401, 403, 404],
});

export const deleteDelivery = operation({
  id: 'deleteDelivery',
  feature: 'deliveries',
  method: 'DELETE',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}',
  summary: 'Give up a delivery for good (edit rights)',
  description:
    'It is not sent any more, and what waited behind it goes on. The event stays in the feed.',
  credentials: ['session'],
  params: DeliveryParams,
  answers: { 204: { description: 'The delivery is gone.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchDelivery },
});

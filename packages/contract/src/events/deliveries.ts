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
import { operation, PERMISSIONS } from '../operation.ts';
import { noSuchSubscription, SubscriptionParams } from './subscriptions.ts';

export const DeliveryState = Type.Union([Type.Literal('waiting'), Type.Literal('parked')], {
  description:
    '`waiting`: the delivery will be retried, or waits behind an earlier delivery with the same `source` and `subject`. `parked`: the delivery was abandoned after three days of failed attempts and does not hold back others.',
});
export type DeliveryState = Type.Static<typeof DeliveryState>;

export const Delivery = Type.Object({
  id: Type.String({ description: 'ID of the delivery. Each attempt sends it as `webhook-id`.' }),
  state: DeliveryState,
  eventId: Type.String({ description: 'The `id` of the event.' }),
  source: Type.String({ description: 'The `source` of the event.' }),
  type: Type.String({ description: 'The `type` of the event.' }),
  subject: Nullable(
    Type.String({ description: 'The `subject` of the event. `null`: the event has none.' }),
  ),
  receivedAt: Timestamp('Time at which the event was accepted.'),
  attempts: Type.Integer({
    description: 'Number of attempts. `0` while the delivery waits behind another one.',
  }),
  waitingSince: Timestamp(
    'Time at which the delivery started to wait. If it has not succeeded three days later, it is parked.',
  ),
  nextAttemptAt: Nullable(
    Timestamp('Earliest time of the next attempt. `null`: the delivery is parked.'),
  ),
  lastAttemptAt: Nullable(Timestamp('Time of the last attempt. `null`: no attempt yet.')),
  status: Nullable(
    Type.Integer({ description: 'Response status of the last attempt. `null`: no response.' }),
  ),
  failure: Nullable(Type.String({ description: 'Reason for the failure of the last attempt.' })),
});
export type Delivery = Type.Static<typeof Delivery>;

export const DeliveryList = ListOf(Delivery);

export const DeliveryWithEvent = Type.Object({
  ...Delivery.properties,
  event: FreeObject('The CloudEvent as it is sent to the target.', 'CloudEvent'),
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
  message: 'This subscription has no waiting or parked delivery with this ID.',
  code: 'deliveries.not-found',
};
const DeliveryParams = Type.Object({
  ...SubscriptionParams.properties,
  deliveryId: Type.String({ minLength: 1, maxLength: 100, description: 'ID of the delivery.' }),
});
export const ResentDeliveries = Type.Object({
  count: Type.Integer({ description: 'Number of deliveries that will be sent again.' }),
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries',
  summary: 'List waiting and parked deliveries',
  description: 'Successful deliveries are not listed.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: SubscriptionParams,
  query: Type.Object({ ...ListQuery, state: Type.Optional(DeliveryState) }),
  paramsExample: { state: 'parked' },
  answers: {
    200: {
      description: 'Deliveries in the order of their events.',
      schema: DeliveryList,
      example: { items: [exampleDelivery], next: null },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
});

export const showDelivery = operation({
  id: 'showDelivery',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}',
  summary: 'Get a delivery with its event',
  permission: PERMISSIONS.viewOrRead,
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
  summary: 'Resend a delivery',
  description:
    'A parked delivery is retried for up to three more days and holds back only other resent deliveries. A waiting delivery is attempted immediately if no earlier delivery with the same `source` and `subject` is waiting.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: DeliveryParams,
  answers: {
    200: {
      description: 'The delivery in the state `waiting`.',
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
  summary: 'Resend all parked deliveries',
  description: 'Deliveries with the same `source` and `subject` are sent in order.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SubscriptionParams,
  answers: {
    200: {
      description: 'The number of resent deliveries.',
      schema: ResentDeliveries,
      example: { count: 12 },
    },
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchSubscription },
});

export const deleteDelivery = operation({
  id: 'deleteDelivery',
  feature: 'deliveries',
  method: 'DELETE',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries/{deliveryId}',
  summary: 'Discard a delivery',
  description:
    'The delivery is not attempted again, and deliveries that wait behind it continue. The event remains stored.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: DeliveryParams,
  answers: { 204: { description: 'The delivery was discarded.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchDelivery },
});

import Type from 'typebox';
import {
  EXAMPLE_DELIVERY_ID,
  EXAMPLE_TIME,
  FreeObject,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  Str,
  Timestamp,
} from '../common.ts';
import { errorOf, json, jsonPage, operation, PERMISSIONS } from '../operation.ts';
import { noSuchSubscription, SubscriptionParams } from './subscriptions.ts';

export const DeliveryState = OneOf(
  ['waiting', 'parked', 'delivered'],
  '`waiting`: the delivery will be retried, or waits behind an earlier delivery with the same `source` and `subject`. `parked`: the delivery was abandoned after three days of failed attempts and does not hold back others. `delivered`: the target returned a 2xx status.',
);
export type ListedDeliveryState = Type.Static<typeof DeliveryState>;

export const DeliveryAttempt = Type.Object({
  at: Timestamp('Start of the attempt.'),
  status: Nullable(Int('Response status. `null`: no response.')),
  durationMs: Int('Duration in milliseconds.'),
  failure: Nullable(Str('Reason for the failure. `null`: the attempt succeeded.')),
  response: Type.Optional(
    Nullable(
      Str(
        'The first kilobyte of the response as UTF-8. Signing secrets, signatures and `Authorization` values are replaced by `[redacted]`. `null`: the response had no body, or the log dropped it to limit its size. Omitted for callers without edit rights.',
      ),
    ),
  ),
});
export type DeliveryAttempt = Type.Static<typeof DeliveryAttempt>;

export const Delivery = Type.Object({
  id: Str('ID of the delivery. Each attempt sends it as `webhook-id`.'),
  state: DeliveryState,
  eventId: Str('The `id` of the event.'),
  source: Str('The `source` of the event.'),
  type: Str('The `type` of the event.'),
  subject: Nullable(Str('The `subject` of the event. `null`: the event has none.')),
  receivedAt: Timestamp('Time at which the event was accepted.'),
  attempts: Int(
    'Number of attempts since the delivery was created or resent. `0` while the delivery waits behind another one.',
  ),
  waitingSince: Timestamp(
    'Time at which the delivery started to wait. If it has not succeeded three days later, it is parked. If the first attempt succeeded: start of this attempt.',
  ),
  nextAttemptAt: Nullable(
    Timestamp('Earliest time of the next attempt. `null`: the delivery is parked or delivered.'),
  ),
  lastAttemptAt: Nullable(Timestamp('Time of the last attempt. `null`: no attempt yet.')),
  status: Nullable(Int('Response status of the last attempt. `null`: no response.')),
  failure: Nullable(Str('Reason for the failure of the last attempt.')),
  deliveredAt: Nullable(
    Timestamp('Time of the 2xx response. `null`: the delivery is waiting or parked.'),
  ),
  attemptLog: Type.Array(DeliveryAttempt, {
    description: 'The newest 20 attempts, oldest first.',
  }),
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
  deliveredAt: null,
  attemptLog: [
    {
      at: '2026-10-21T09:29:59.958Z',
      status: 500,
      durationMs: 42,
      failure: 'the target answered 500',
      response: '{"error":"out of memory"}',
    },
  ],
};
const noSuchDelivery = errorOf(
  'deliveries.not-found',
  'This subscription has no waiting or parked delivery with this ID.',
);
const noShownDelivery = errorOf(
  'deliveries.not-found',
  'This subscription has no delivery with this ID, or the event of the delivery has been removed.',
);
const DeliveryParams = Type.Object({
  ...SubscriptionParams.properties,
  deliveryId: Type.String({ minLength: 1, maxLength: 100, description: 'ID of the delivery.' }),
});
export const ResentDeliveries = Type.Object({
  count: Int('Number of deliveries that will be sent again.'),
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  feature: 'deliveries',
  method: 'GET',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries',
  summary: 'List deliveries',
  description:
    'Without `state`, the list contains waiting and parked deliveries in the order of their events. `state=delivered` lists successful deliveries, newest first. They are retained for 7 days (`GATEHOUSE_DELIVERIES_MAX_AGE_DAYS`), at most 10,000 per subscription. An event that was replayed has one entry per successful delivery.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: SubscriptionParams,
  query: Type.Object({ ...ListQuery, state: Type.Optional(DeliveryState) }),
  paramsExample: { state: 'parked' },
  responses: { 200: jsonPage('Deliveries.', DeliveryList, [exampleDelivery]) },
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
  responses: {
    200: json('The delivery.', DeliveryWithEvent, {
      ...exampleDelivery,
      event: {
        specversion: '1.0',
        id: 'order-1001-paid',
        source: 'https://shop.example/orders',
        type: 'example.order.paid',
        subject: 'order/1001',
      },
    }),
  },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noShownDelivery },
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
  responses: {
    200: json('The delivery in the state `waiting`.', Delivery, {
      ...exampleDelivery,
      state: 'waiting',
      nextAttemptAt: EXAMPLE_TIME,
    }),
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
  responses: { 200: json('The number of resent deliveries.', ResentDeliveries, { count: 12 }) },
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
  responses: { 204: { description: 'The delivery was discarded.' } },
  errors: [400, 401, 403, 404],
  errorExamples: { 404: noSuchDelivery },
});

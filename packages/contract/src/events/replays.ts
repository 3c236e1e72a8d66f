import Type from 'typebox';
import { Body, EXAMPLE_TIME } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';
import { noSuchSubscription, Replay, SubscriptionParams } from './subscriptions.ts';

export const ReplayRequest = Body({
  from: Type.String({
    format: 'date-time',
    description: 'Earliest time of receipt of the events to resend, inclusive. RFC 3339.',
  }),
});

const onReplay = {
  feature: 'deliveries',
  path: '/spaces/{spaceId}/subscriptions/{subscriptionId}/replay',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SubscriptionParams,
} as const;

export const startReplay = operation({
  ...onReplay,
  id: 'startReplay',
  method: 'POST',
  summary: 'Resend all events since a time',
  description:
    'Resends each event that matches the subscription and was received from `from` until this request. The replay runs in the background; `replay` of the subscription shows its progress. `webhook-id` is the ID of the original delivery, so targets can deduplicate. Events that retention has removed are not resent. Events with the same `source` and `subject` are resent in order, but concurrently with newer events. An event that has a waiting delivery is not sent twice, and an event that has a parked delivery is resent from it. Repeating the request while the replay runs has no effect. Attempts in flight are cancelled and repeated.',
  body: ReplayRequest,
  bodyExample: { from: EXAMPLE_TIME },
  responses: {
    202: json('The replay.', Replay, {
      state: 'running',
      from: EXAMPLE_TIME,
      remaining: 1842,
      startedAt: '2026-10-19T07:00:00.000Z',
      endedAt: null,
    }),
  },
  errors: [400, 401, 403, 404, 409],
  errorExamples: {
    404: noSuchSubscription,
    409: errorOf(
      'deliveries.replay-running',
      'A replay from 2026-10-18T09:30:00.000Z is running; wait until it has finished, or cancel it first.',
    ),
  },
});

export const cancelReplay = operation({
  ...onReplay,
  id: 'cancelReplay',
  method: 'DELETE',
  summary: 'Cancel a replay',
  description:
    'Events that the replay has already sent to the target, and waiting deliveries that it created, are not affected.',
  responses: { 204: { description: 'The replay was cancelled.' } },
  errors: [400, 401, 403, 404],
  errorExamples: {
    404: errorOf(
      'deliveries.no-replay',
      'No replay of a subscription with this ID is running in this space.',
    ),
  },
});

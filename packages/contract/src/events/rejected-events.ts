import Type from 'typebox';
import {
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  Int,
  ListOf,
  ListQuery,
  Nullable,
  OneOf,
  SpaceParams,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { jsonPage, operation, PERMISSIONS } from '../operation.ts';

export const RejectedEvent = Type.Object({
  id: Uuid('ID of the entry.'),
  at: Timestamp('Time of the rejection.'),
  kind: OneOf(
    ['event', 'request'],
    '`event`: an event was rejected individually. `request`: the whole request was rejected.',
  ),
  reason: OneOf(
    ['invalid', 'malformed', 'unproven', 'forbidden', 'rate-limited'],
    '`invalid`: the event violates a rule. `malformed`: the request cannot be read. `unproven`: the credential is not accepted. `forbidden`: the credential lacks a permission. `rate-limited`: a rate limit was exceeded.',
  ),
  problem: Str('Description of the problem, at most 1,000 characters.'),
  status: Nullable(
    Int('Status of the response. `null`: other events of the request may be accepted.'),
  ),
  sender: Type.Object({
    kind: OneOf(['apiKey', 'user', 'signature'], 'Kind of the credential that proves the space.'),
    id: Nullable(Str('ID of the API key or the user. `null`: a signature.')),
  }),
  event: Nullable(
    Type.Object(
      {
        index: Int('Position of the event in the request, from 0.'),
        id: Nullable(Str('The `id` of the event. `null`: not readable.')),
        source: Nullable(Str('The `source` of the event. `null`: not readable.')),
        type: Nullable(Str('The `type` of the event. `null`: the event is invalid.')),
      },
      {
        description:
          'Attributes of the event, each at most 200 characters. The data is not recorded. `null`: the whole request was rejected.',
      },
    ),
  ),
});
export type RejectedEvent = Type.Static<typeof RejectedEvent>;

export const RejectedEventList = ListOf(RejectedEvent);

export const listRejectedEvents = operation({
  id: 'listRejectedEvents',
  feature: 'events',
  method: 'GET',
  path: '/spaces/{spaceId}/rejected-events',
  summary: 'List rejected events',
  description:
    'Lists rejected events and requests whose credential proves the space, newest first. Requests without an accepted credential are not recorded. Entries appear within a few seconds and are retained for 7 days (`GATEHOUSE_REJECTED_EVENTS_MAX_AGE_DAYS`), at most 5,000 per space. After 1,000 rejections at once, at most 10 per second are recorded per space and replica.',
  permission: PERMISSIONS.edit,
  credentials: ['session'],
  params: SpaceParams,
  query: Type.Object(ListQuery),
  responses: {
    200: jsonPage('Rejected events and requests, newest first.', RejectedEventList, [
      {
        id: EXAMPLE_SPACE_ID,
        at: EXAMPLE_TIME,
        kind: 'event',
        reason: 'invalid',
        problem: 'type: is required',
        status: null,
        sender: { kind: 'apiKey', id: '0199f3a2-7d2f-7c65-8e4a-3b8d6f9c2a51' },
        event: {
          index: 3,
          id: 'order-1001-paid',
          source: 'https://shop.example/orders',
          type: null,
        },
      },
    ]),
  },
  errors: [400, 401, 403],
});

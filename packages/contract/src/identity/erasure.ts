import Type from 'typebox';
import { OneOf, SpaceParams, Text } from '../common.ts';
import { json, operation } from '../operation.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Erasure = Type.Object({
  conversations: Count('Deleted conversations.'),
  messages: Count('Deleted questions and answers.'),
  feedback: Count('Deleted ratings of answers.'),
  attachments: Count('Deleted attachments of conversations.'),
  links: Count(
    'Access links that have ended and no longer name the person. Links that had expired or were revoked are included.',
  ),
  storedResponses: Count('Deleted responses to requests with an `Idempotency-Key`.'),
  auditEntries: Count('Audit entries in which a keyed hash replaced the `sub`.'),
  events: Count('Events whose `subject` is the `sub`, before the request.'),
  removedEvents: Count('Events that were removed. 0 without `events=true`.'),
  removedDeliveries: Count(
    'Deliveries of these events that were deleted, including successful ones. 0 without `events=true`.',
  ),
  changedRecords: Count(
    'Records that depended on these events and were derived again without them. 0 without `events=true`.',
  ),
});
export type Erasure = Type.Static<typeof Erasure>;

export const eraseSubject = operation({
  id: 'eraseSubject',
  feature: 'spaces',
  method: 'DELETE',
  path: '/spaces/{spaceId}/subjects/{sub}',
  summary: "Erase a person's data",
  description:
    "Deletes the conversations of the person with their feedback and attachments, ends the person's links, removes `sub`, `email`, `userInformation`, `context` and all other given members from the links, deletes stored responses to requests with an `Idempotency-Key`, and replaces the `sub` in the audit with a keyed hash. All of this happens in one transaction. With `events=true`, the events with this `subject` and their deliveries are removed afterwards, and records are derived again without these events; repeat the request if it fails. A removed event is ignored if it is sent again. Documents are not changed. Idempotent: a second request returns zeros. Make sure that your backend creates no new links for the person before you send the request.",
  permission:
    'Requires the session of an administrator or of a user with the role `owner` on every bot of the space.',
  credentials: ['session'],
  params: Type.Object({
    ...SpaceParams.properties,
    sub: Text({
      description:
        'The `sub` of the person, percent-encoded. Exact match. `/` is encoded as `%2F`. URL libraries remove the values `.` and `..`.',
      minLength: 1,
    }),
  }),
  query: Type.Object({
    events: Type.Optional(
      OneOf(
        ['true', 'false'],
        '`true`: also removes the events whose `subject` is the `sub`, and their deliveries. Default: `false`.',
      ),
    ),
  }),
  paramsExample: { sub: 'customer-42', events: 'true' },
  responses: {
    200: json('The erased data.', Erasure, {
      conversations: 3,
      messages: 14,
      feedback: 1,
      attachments: 2,
      links: 5,
      storedResponses: 1,
      auditEntries: 10,
      events: 27,
      removedEvents: 27,
      removedDeliveries: 27,
      changedRecords: 2,
    }),
  },
  errors: [400, 401, 403],
});

import Type, { type TSchema } from 'typebox';
import { EXAMPLE_TIME, Int, Nullable, OneOf, SpaceParams, Str, Timestamp } from '../common.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';

const Counts = (description: string) => Type.Array(Type.Integer(), { description });
const PerMinute = Counts('One count per minute.');

export const NamedCounts = Type.Array(
  Type.Object({
    name: Nullable(Str('Name. `null`: sum of all other names.')),
    total: Int('Sum over all minutes.'),
    perMinute: PerMinute,
  }),
  {
    description:
      'Counts of up to 50 names, most frequent first, followed by the sum of all other names.',
  },
);

const ReasonCounts = <T extends TSchema>(reason: T, description: string) =>
  Type.Array(
    Type.Object({
      reason,
      total: Int('Sum over all minutes.'),
      perMinute: PerMinute,
    }),
    { description },
  );

const FailureReason = OneOf(
  ['invalid', 'unproven', 'forbidden'],
  '`invalid`: the event violates a rule. `unproven`: its credential is not accepted. `forbidden`: its credential lacks a permission.',
);

const RefusalReason = OneOf(
  ['malformed', 'unproven', 'forbidden', 'rate-limited', 'overloaded', 'unavailable'],
  '`malformed`: status 400, 413 or 415. `unproven`: 401. `forbidden`: 403. `rate-limited`: 429. `overloaded`: the write queue is full, or too many large requests are being processed. `unavailable`: the storage is unavailable.',
);

export const EventStats = Type.Object({
  since: Timestamp('Start of the counts: 60 minutes ago, or later if counting started later.'),
  firstMinute: Timestamp('First of the 60 minutes. The last minute is incomplete.'),
  accepted: Counts('Accepted events per minute, including duplicates.'),
  bytes: Counts('Bytes of accepted events per minute.'),
  types: NamedCounts,
  sources: NamedCounts,
  failures: ReasonCounts(
    FailureReason,
    'Events that were rejected individually, if their credential identifies the space.',
  ),
  refused: ReasonCounts(
    RefusalReason,
    'Requests that were rejected as a whole, if their credential identifies the space.',
  ),
  stored: Int('Events ever stored in the space, including those that were removed since.'),
  listeners: Int('Open event streams of the space.'),
  consumers: Type.Array(
    Type.Object({
      name: Str('Name of the consumer.'),
      lag: Int('Events that the consumer has not processed yet.'),
    }),
    { description: 'Consumers that process the events of the space.' },
  ),
});
export type EventStats = Type.Static<typeof EventStats>;

const exampleMinutes = [...Array.from({ length: 58 }, () => 0), 2, 1];

export const showEventStats = operation({
  id: 'showEventStats',
  feature: 'events',
  method: 'GET',
  path: '/spaces/{spaceId}/events/stats',
  summary: 'Get event statistics of the last hour',
  description:
    '`stored` and `consumers` are read from the database. With SQLite, all other counts are kept in memory and start at zero when the service starts. With PostgreSQL, they cover all replicas; counts of other replicas can be a few seconds old.',
  permission: PERMISSIONS.viewOrRead,
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  responses: {
    200: json('Counts per minute.', EventStats, {
      since: EXAMPLE_TIME,
      firstMinute: '2026-10-18T08:31:00.000Z',
      accepted: exampleMinutes,
      bytes: exampleMinutes.map((events) => events * 500),
      types: [{ name: 'example.order.paid', total: 3, perMinute: exampleMinutes }],
      sources: [{ name: 'https://shop.example/orders', total: 3, perMinute: exampleMinutes }],
      failures: [],
      refused: [],
      stored: 1001,
      listeners: 2,
      consumers: [{ name: 'deliveries', lag: 0 }],
    }),
  },
  errors: [400, 401, 403],
});

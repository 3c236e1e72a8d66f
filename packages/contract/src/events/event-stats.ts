import Type, { type TSchema } from 'typebox';
import { EXAMPLE_TIME, Nullable, Timestamp, Uuid } from '../common.ts';
import { operation } from '../operation.ts';

const Counts = (description: string) => Type.Array(Type.Integer(), { description });
const PerMinute = Counts('One number for each minute.');

const NamedCounts = Type.Array(
  Type.Object({
    name: Nullable(Type.String({ description: 'Null: all others together.' })),
    total: Type.Integer(),
    perMinute: PerMinute,
  }),
  { description: 'The 50 that were met first, and the rest; the most frequent first.' },
);

const ReasonCounts = <T extends TSchema>(reason: T, description: string) =>
  Type.Array(Type.Object({ reason, total: Type.Integer(), perMinute: PerMinute }), { description });

const FailureReason = Type.Union([
  Type.Literal('invalid'),
  Type.Literal('unproven'),
  Type.Literal('forbidden'),
]);

const RefusalReason = Type.Union([
  Type.Literal('malformed'),
  Type.Literal('unproven'),
  Type.Literal('forbidden'),
  Type.Literal('rate-limited'),
  Type.Literal('overloaded'),
  Type.Literal('unavailable'),
]);

export const EventStats = Type.Object({
  since: Timestamp('Counts begin here: when the process did, an hour ago at most.'),
  firstMinute: Timestamp('The minute of the first of each 60 numbers; the last is under way.'),
  accepted: Counts('Events accepted in each minute, those seen before included.'),
  bytes: Counts('Bytes of their texts.'),
  types: NamedCounts,
  sources: NamedCounts,
  failures: ReasonCounts(
    FailureReason,
    'Events that failed in a request that was answered, where its credential says which space it was for.',
  ),
  refused: ReasonCounts(
    RefusalReason,
    'Requests by an API key of the space that were refused as a whole.',
  ),
  stored: Type.Integer({ description: 'Events stored in all, also those removed since.' }),
  listeners: Type.Integer({ description: 'Open streams of this process.' }),
  consumers: Type.Array(
    Type.Object({
      name: Type.String(),
      lag: Type.Integer({ description: 'Events that it has still before it.' }),
    }),
    { description: 'Who hands events on, and how far it has got.' },
  ),
});
export type EventStats = Type.Static<typeof EventStats>;

const exampleMinutes = [...Array.from({ length: 58 }, () => 0), 2, 1];

export const showEventStats = operation({
  id: 'showEventStats',
  feature: 'events',
  method: 'GET',
  path: '/spaces/{spaceId}/events/stats',
  summary:
    'What came in during the last hour, and who has still to read it (any role, or a key with `read`)',
  description:
    '`stored` and `consumers` are read from the store. Everything else is counted in the memory of the process that answers and starts at zero with the process.',
  credentials: ['session', 'apiKey'],
  params: Type.Object({ spaceId: Uuid('The space.') }),
  answers: {
    200: {
      description: 'Counts by the minute.',
      schema: EventStats,
      example: {
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
      },
    },
  },
  errors: [400, 401, 403],
});

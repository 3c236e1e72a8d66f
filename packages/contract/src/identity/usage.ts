import Type from 'typebox';
import { Bool, Nullable, SpaceParams } from '../common.ts';
import { json, operation, PERMISSIONS } from '../operation.ts';
import { Budget } from './budget.ts';

const Day = (description: string) => Type.String({ format: 'date', description });
const Count = (description: string) => Type.Integer({ description });

const AMOUNTS = {
  questions: Count('Questions to the assistant.'),
  inputTokens: Count('Tokens that were sent to models.'),
  outputTokens: Count('Tokens that models returned.'),
  cost: Type.Number({
    description: 'Cost of the tokens, in the currency of the configured prices. 0 without prices.',
  }),
  documents: Count('Documents that were indexed.'),
  events: Count('Accepted events, including duplicates.'),
};

export const UsageTotals = Type.Object(AMOUNTS);

export const UsageDay = Type.Object({ day: Day('Day in UTC.'), ...AMOUNTS });
export type UsageDay = Type.Static<typeof UsageDay>;

const Spent = (period: string) =>
  Type.Object(
    { tokens: Count('Tokens.'), cost: Type.Number({ description: 'Cost.' }) },
    { description: `Amounts of the ${period} (UTC) that count towards the budget.` },
  );

export const BudgetState = Type.Object(
  {
    limits: Budget,
    day: Spent('current day'),
    month: Spent('current calendar month'),
    isUsedUp: Bool('`true`: answers quote documents without a model.'),
  },
  { description: 'The budget of the space for models, and its current state.' },
);
export type BudgetState = Type.Static<typeof BudgetState>;

export const Usage = Type.Object({
  from: Day('First day.'),
  to: Day('Last day.'),
  totals: UsageTotals,
  days: Type.Array(UsageDay, { description: 'All days of the period, in order.' }),
  budget: Nullable(BudgetState),
});
export type Usage = Type.Static<typeof Usage>;

/** Maximum number of days of a period. */
export const MAX_USAGE_DAYS = 366;

const example = {
  questions: 120,
  inputTokens: 240_000,
  outputTokens: 18_000,
  cost: 0.42,
  documents: 3,
  events: 5400,
};

export const showUsage = operation({
  id: 'showUsage',
  feature: 'spaces',
  method: 'GET',
  path: '/spaces/{spaceId}/usage',
  summary: 'Show the usage of a space per day',
  description:
    'Counts are written every second, so a crash can lose the counts of the last second. They are deleted with the space.',
  permission: PERMISSIONS.editOr('read'),
  credentials: ['session', 'apiKey'],
  params: SpaceParams,
  query: Type.Object({
    from: Type.Optional(Day('First day in UTC. Default: 29 days before `to`.')),
    to: Type.Optional(
      Day(`Last day in UTC. Default: today. A period has at most ${MAX_USAGE_DAYS} days.`),
    ),
  }),
  paramsExample: { from: '2026-05-01', to: '2026-05-01' },
  responses: {
    200: json('The usage.', Usage, {
      from: '2026-05-01',
      to: '2026-05-01',
      totals: example,
      days: [{ day: '2026-05-01', ...example }],
      budget: {
        limits: { tokensPerDay: 500_000, tokensPerMonth: 5_000_000 },
        day: { tokens: 258_000, cost: 0.42 },
        month: { tokens: 258_000, cost: 0.42 },
        isUsedUp: false,
      },
    }),
  },
  errors: [400, 401, 403],
});

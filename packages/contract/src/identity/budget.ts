import Type from 'typebox';
import { Body } from '../common.ts';

const Tokens = (period: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `Maximum tokens per ${period}, sent to and returned by models.`,
    }),
  );
const Cost = (period: string) =>
  Type.Optional(
    Type.Number({
      minimum: 0.000001,
      maximum: 1_000_000_000,
      description: `Maximum cost per ${period}, in the currency of the configured prices. Has no effect without prices.`,
    }),
  );

/** Limits for models. A period is a day or a calendar month in UTC. */
export const Budget = Body(
  {
    tokensPerDay: Tokens('day'),
    tokensPerMonth: Tokens('calendar month'),
    costPerDay: Cost('day'),
    costPerMonth: Cost('calendar month'),
  },
  {
    description:
      'Limits for models, in UTC. Amounts count from the time at which the budget was set. When a limit is reached, answers say so and quote documents without a model. Running answers are not ended.',
  },
);
export type Budget = Type.Static<typeof Budget>;

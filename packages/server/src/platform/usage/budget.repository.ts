import type { Budget } from '@gatehouse/contract';
import { sql } from 'kysely';
import { dayOf } from '../../lib/scheduling/index.ts';
import { type Database, retryConflicts } from '../../storage/ports/index.ts';

/** Tokens and cost that count towards a budget. */
export interface Spent {
  readonly tokens: number;
  /** In millionths of the operator's currency. */
  readonly costMillionths: number;
}

export interface SpentInPeriods {
  readonly day: Spent;
  readonly month: Spent;
}

/** The owner of a budget. `linkId` is `null` for the budget of the space. */
export interface BudgetOwner {
  readonly spaceId: string;
  readonly linkId: string | null;
}

export type BudgetRepository = ReturnType<typeof createBudgetRepository>;

/** Stores the tokens and cost per budget and day. Each write is durable before its promise resolves. */
export function createBudgetRepository(db: Database) {
  return {
    /** Returns the budget of a space, or `null` if there are no limits. */
    async ofSpace(spaceId: string): Promise<Budget | null> {
      const row = await db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select('budget')
        .executeTakeFirst();
      return row?.budget == null ? null : (JSON.parse(row.budget) as Budget);
    },

    /** Adds amounts to the day (UTC) of `now`. Does nothing if the space was deleted. */
    async add({ spaceId, linkId }: BudgetOwner, spent: Spent, now: number): Promise<void> {
      const key = [spaceId, linkId ?? '', dayOf(now)].map((text) => sql`cast(${text} as text)`);
      const amounts = [spent.tokens, spent.costMillionths].map(
        (value) => sql`cast(${Math.round(value)} as bigint)`,
      );
      // Two replicas that write the same row may conflict.
      await retryConflicts(() =>
        sql`insert into budget_days (space_id, link_id, day, tokens, cost_millionths)
          select ${sql.join([...key, ...amounts])}
          where exists (select 1 from spaces where spaces.id = ${spaceId})
          on conflict (space_id, link_id, day) do update set
            tokens = budget_days.tokens + excluded.tokens,
            cost_millionths = budget_days.cost_millionths + excluded.cost_millionths`.execute(db),
      );
    },

    /** Returns the tokens and cost of the day and of the month (UTC) of `now`. */
    async spent({ spaceId, linkId }: BudgetOwner, now: number): Promise<SpentInPeriods> {
      const today = dayOf(now);
      const rows = await db
        .selectFrom('budget_days')
        .select(['day', 'tokens', 'cost_millionths'])
        .where('space_id', '=', spaceId)
        .where('link_id', '=', linkId ?? '')
        .where('day', '>=', `${today.slice(0, 7)}-01`)
        .where('day', '<=', today)
        .execute();
      return {
        day: sumOf(rows.filter(({ day }) => day === today)),
        month: sumOf(rows),
      };
    },
  };
}

function sumOf(
  rows: readonly { readonly tokens: number; readonly cost_millionths: number }[],
): Spent {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    tokens: sum(rows.map(({ tokens }) => Number(tokens))),
    costMillionths: sum(rows.map(({ cost_millionths }) => Number(cost_millionths))),
  };
}

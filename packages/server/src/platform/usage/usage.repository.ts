import { sql } from 'kysely';
import { type Database, retryConflicts } from '../../storage/ports/index.ts';

/** Amounts to add to the usage of a space. */
export interface Usage {
  readonly questions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In millionths of the operator's currency. */
  readonly costMillionths: number;
  readonly documents: number;
  readonly events: number;
}

export interface UsageOfDay extends Usage {
  /** UTC, such as `2026-05-03`. */
  readonly day: string;
}

export type UsageRepository = ReturnType<typeof createUsageRepository>;

export function createUsageRepository(db: Database) {
  return {
    /** Adds amounts to the usage of days. Each pair of space and day occurs once. Omits deleted spaces. */
    async add(
      rows: readonly { readonly spaceId: string; readonly day: string; readonly usage: Usage }[],
    ): Promise<void> {
      if (rows.length === 0) return;
      const integer = (value: number) => sql`cast(${Math.round(value)} as bigint)`;
      const values = rows.map(({ spaceId, day, usage }) => {
        const { questions, inputTokens, outputTokens, costMillionths, documents, events } = usage;
        const amounts = [questions, inputTokens, outputTokens, costMillionths, documents, events];
        const texts = [spaceId, day].map((text) => sql`cast(${text} as text)`);
        return sql`(${sql.join([...texts, ...amounts.map(integer)])})`;
      });
      const names = sql.join(AMOUNTS.map((name) => sql.ref(name)));
      const sums = AMOUNTS.map(
        (name) =>
          sql`${sql.ref(name)} = ${sql.ref(`usage_days.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
      );
      // Two replicas that count the same spaces may deadlock.
      await retryConflicts(() =>
        sql`with counted (space_id, day, ${names}) as (values ${sql.join(values)})
          insert into usage_days (space_id, day, ${names})
          select counted.* from counted
          where exists (select 1 from spaces where spaces.id = counted.space_id)
          on conflict (space_id, day) do update set ${sql.join(sums)}`.execute(db),
      );
    },

    /** Returns the days with usage between two days, inclusive, in order. */
    async list(spaceId: string, from: string, to: string): Promise<UsageOfDay[]> {
      const rows = await db
        .selectFrom('usage_days')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .execute();
      return rows.map((row) => ({
        day: row.day,
        questions: Number(row.questions),
        inputTokens: Number(row.input_tokens),
        outputTokens: Number(row.output_tokens),
        costMillionths: Number(row.cost_millionths),
        documents: Number(row.documents),
        events: Number(row.events),
      }));
    },
  };
}

const AMOUNTS = [
  'questions',
  'input_tokens',
  'output_tokens',
  'cost_millionths',
  'documents',
  'events',
] as const;

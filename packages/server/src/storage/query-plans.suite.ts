import type { CompiledQuery, Kysely, KyselyPlugin } from 'kysely';
import { sql } from 'kysely';

/** Returns a database that records the queries that are sent through it. */
export function recordQueries<Tables>(db: Kysely<Tables>) {
  const queries: CompiledQuery[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(recorder), queries };
}

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** Returns the steps of SQLite's plans of queries, one per line. */
export async function plansOf<Tables>(
  db: Kysely<Tables>,
  queries: readonly Query[],
): Promise<string> {
  const plans: string[] = [];
  for (const query of queries) plans.push(...(await stepsOf(db, query)));
  return plans.join('\n');
}

async function stepsOf<Tables>(db: Kysely<Tables>, query: Query): Promise<string[]> {
  const { rows } = await db.executeQuery<{ detail: string }>({
    ...sql`explain query plan ${sql.raw(query.sql)}`.compile(db),
    // The plan does not depend on the values. The parameters of a prepared statement have none yet.
    parameters: query.parameters.map((value) => (typeof value === 'object' ? null : value)),
  });
  return rows.map(({ detail }) => detail);
}

/** Returns the steps of the plans of queries in which SQLite reads all rows of a table, or all rows of a space. */
export async function largeReads<Tables>(
  db: Kysely<Tables>,
  queries: readonly Query[],
  tables: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const large = new RegExp(
    `^(?:SCAN (?:${tables.join('|')})\\b|SEARCH (?:${tables.join('|')}) .*\\(space_id=\\?\\)$)`,
  );
  for (const query of queries) {
    const steps = await stepsOf(db, query);
    found.push(...steps.flatMap((step) => (large.test(step) ? [`${step}: ${query.sql}`] : [])));
  }
  return found;
}

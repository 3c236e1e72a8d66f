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

/** Returns the steps of the plans of queries in which SQLite reads all rows of a table, or all rows of a space. */
export async function largeReads<Tables>(
  db: Kysely<Tables>,
  queries: readonly Pick<CompiledQuery, 'sql' | 'parameters'>[],
  tables: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const large = new RegExp(
    `^(?:SCAN (?:${tables.join('|')})\\b|SEARCH (?:${tables.join('|')}) .*\\(space_id=\\?\\)$)`,
  );
  for (const query of queries) {
    const { rows } = await db.executeQuery<{ detail: string }>({
      ...sql`explain query plan ${sql.raw(query.sql)}`.compile(db),
      // The plan does not depend on the values. The parameters of a prepared statement have none yet.
      parameters: query.parameters.map((value) => (typeof value === 'object' ? null : value)),
    });
    found.push(
      ...rows.flatMap(({ detail }) => (large.test(detail) ? [`${detail}: ${query.sql}`] : [])),
    );
  }
  return found;
}

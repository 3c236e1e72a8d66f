import type { Kysely } from 'kysely';

/**
 * Counts the changes of subscriptions and of their rows, so that the process which serves a subscription finds out
 * what others changed of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['revision', 'deliveries_revision'])
    await db.schema
      .alterTable('subscriptions')
      .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
}

import { type Kysely, sql } from 'kysely';

/** Who is sent the events of a space, and what could not be delivered at once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('subscriptions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('space_id', 'text', (c) => c.notNull().references('spaces.id').onDelete('cascade'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('types', 'text')
    .addColumn('sources', 'text')
    .addColumn('state', 'text', (c) =>
      c.notNull().check(sql`state in ('active', 'disabled', 'ended')`),
    )
    .addColumn('end_reason', 'text')
    .addColumn('secrets', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('last_delivered_at', 'bigint')
    .addColumn('last_failed_at', 'bigint')
    .addColumn('last_failed_status', 'integer')
    .addColumn('last_failure', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('subscriptions_space')
    .on('subscriptions')
    .columns(['space_id', 'id'])
    .execute();
  await db.schema
    .createTable('deliveries')
    .addColumn('space_id', 'text', (c) => c.notNull().references('spaces.id').onDelete('cascade'))
    .addColumn('subscription_id', 'text', (c) =>
      c.notNull().references('subscriptions.id').onDelete('cascade'),
    )
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('waiting', 'parked')`))
    .addColumn('resent', 'integer', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('subject', 'text')
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('waiting_since', 'bigint', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('last_attempt_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_failure', 'text')
    // Last, since SQLite reads a row's columns from the front.
    .addColumn('text', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('deliveries_key', ['space_id', 'subscription_id', 'position'])
    .execute();
  // A subscription's rows leave with it, and are listed and counted by state.
  await db.schema
    .createIndex('deliveries_state')
    .on('deliveries')
    .columns(['subscription_id', 'state', 'position', 'bytes'])
    .execute();
}

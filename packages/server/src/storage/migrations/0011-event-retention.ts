import { type Kysely, sql } from 'kysely';

/** How long a space's events are kept, and how many bytes they take. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('spaces').addColumn('events_max_age_days', 'integer').execute();
  await db.schema.alterTable('spaces').addColumn('events_max_bytes', 'bigint').execute();
  await sql`alter table event_heads add column bytes integer not null default 0`.execute(db);
  await sql`update event_heads set bytes = coalesce((
    select sum(length(ends) + length(texts)) from event_batches
    where event_batches.space_id = event_heads.space_id
  ), 0)`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/** Which batches hold events that change documents, so that their consumer passes over all others unread. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table event_knowledge_batches (
    space_id text not null,
    last_position integer not null,
    primary key (space_id, last_position)
  ) without rowid`.execute(db);
  // Of what was kept before, each batch may hold some.
  await sql`insert into event_knowledge_batches (space_id, last_position)
    select space_id, last_position from event_batches`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * What replicas must know of each other to hold limits together. It is of the last minutes and may be lost with a
 * crash of the database, so that it is not written to its log. Rows are updated in place where there is room.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table replicas (
    id text collate "C" primary key,
    ends_at bigint not null
  ) with (fillfactor = 50)`.execute(db);
  await sql`create unlogged table rate_counts (
    name text collate "C" not null,
    key text collate "C" not null,
    ends_at double precision not null,
    count integer not null,
    times bigint[] not null,
    primary key (name, key)
  ) with (fillfactor = 70)`.execute(db);
  await sql`create unlogged table semaphores (
    key text collate "C" primary key,
    holders text[] not null
  ) with (fillfactor = 50)`.execute(db);
  // Of the last hour, and kept like everything else.
  await sql`create table event_counts (
    space_id text collate "C" not null,
    minute bigint not null,
    counter text collate "C" not null,
    counts text not null,
    primary key (space_id, minute, counter)
  ) with (fillfactor = 50)`.execute(db);
  await sql`create index event_counts_minute on event_counts (minute)`.execute(db);
  await sql`create unlogged table event_listeners (
    space_id text collate "C" not null,
    replica text collate "C" not null,
    listeners integer not null,
    primary key (space_id, replica)
  ) with (fillfactor = 50)`.execute(db);
}

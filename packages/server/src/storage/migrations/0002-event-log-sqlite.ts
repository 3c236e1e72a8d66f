import { type Kysely, sql } from 'kysely';

/**
 * The event log of the embedded store: a row for each accepted batch, and the index of identities
 * as hash-partitioned segments; `docs/decisions/` says why.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The blobs stand last and in the order of use, so that a consumer of the first never touches the rest.
  await sql`create table event_batches (
    id integer primary key,
    space_id text not null,
    last_position integer not null,
    count integer not null,
    received_at integer not null,
    encoding text not null check (encoding in ('none', 'zstd')),
    identities blob not null,
    ends blob not null,
    texts blob not null
  )`.execute(db);
  await sql`create unique index event_batches_position on event_batches (space_id, last_position)`.execute(
    db,
  );
  await sql`create table event_heads (
    space_id text primary key,
    last_position integer not null
  ) without rowid`.execute(db);
  await sql`create table identity_segments (
    id integer primary key autoincrement,
    block_bits integer not null,
    count integer not null,
    through_batch integer not null,
    state text not null check (state in ('building', 'live', 'garbage')),
    filter blob
  )`.execute(db);
  await sql`create table identity_blocks (
    id integer primary key,
    keys blob not null
  )`.execute(db);
}

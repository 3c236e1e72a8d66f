import { type Kysely, sql } from 'kysely';

/**
 * The event log: a row for each accepted batch, as the embedded store has it, and a row for each identity;
 * `docs/decisions/0031` says why. A batch may hold events that had been kept before: `known` has their places.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// The rows of a space are removed in steps when it is gone, since they may be many: no table refers to another.
const SPACE = 'space_id text collate "C" not null';

const statements = [
  // Each append changes its row: with room on the page it need not change the key's index, too.
  `create table event_heads (
    ${SPACE},
    last_position bigint not null,
    bytes bigint not null,
    primary key (space_id)
  ) with (fillfactor = 50)`,
  `create table event_batches (
    ${SPACE},
    last_position bigint not null,
    count integer not null,
    received_at bigint not null,
    encoding text not null check (encoding in ('none', 'zstd')),
    identities bytea not null,
    ends bytea not null,
    texts bytea not null,
    known integer[],
    primary key (space_id, last_position)
  )`,
  // They are packed, or would not shrink: the server need not try.
  ...['identities', 'ends', 'texts'].map(
    (column) => `alter table event_batches alter column ${column} set storage external`,
  ),
  // There is a row for each event, for good: of all types this one holds 16 bytes in the least room.
  `create table event_identities (
    space_id uuid not null,
    identity uuid not null,
    primary key (space_id, identity)
  )`,
  // Those that came from an embedded store, which does not keep whose they are.
  'create table event_identities_moved (identity uuid primary key)',
  `create table event_knowledge_batches (
    ${SPACE},
    last_position bigint not null,
    primary key (space_id, last_position)
  )`,
];

const TEXT = 'text collate "C"';
const IN_SPACE = `space_id ${TEXT} not null references spaces (id) on delete cascade`;
/** Column without a foreign key. A deleted space can have many rows, which are removed in steps after the space. */
const SPACE_ID = `space_id ${TEXT} not null`;

export const events = [
  // The epoch is part of a unique key, so a `for key share` lock blocks a takeover of the lease but not its renewal.
  `create table leases (
    name ${TEXT} primary key,
    holder text not null,
    epoch bigint not null,
    ends_at bigint not null,
    unique (name, epoch)
  ) with (fillfactor = 50)`,
  // Each append updates one row. With free space on the page, the update does not change the index.
  `create table event_heads (
    ${SPACE_ID},
    last_position bigint not null,
    bytes bigint not null,
    primary key (space_id)
  ) with (fillfactor = 50)`,
  // `known` contains the indexes of duplicate events in the batch.
  `create table event_batches (
    ${SPACE_ID},
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
  // These values are already compressed or cannot be compressed.
  ...['identities', 'ends', 'texts'].map(
    (column) => `alter table event_batches alter column ${column} set storage external`,
  ),
  // Rows are not deleted before their space is deleted. `uuid` is the smallest type for 16 bytes.
  `create table event_identities (
    space_id uuid not null,
    identity uuid not null,
    primary key (space_id, identity)
  )`,
  // Identities copied from SQLite, which does not store the space of an identity.
  'create table event_identities_moved (identity uuid primary key)',
  `create table event_knowledge_batches (
    ${SPACE_ID},
    last_position bigint not null,
    primary key (space_id, last_position)
  )`,
  `create table event_sources (
    id ${TEXT} not null,
    ${IN_SPACE},
    name text not null,
    source ${TEXT} not null,
    match text not null check (match in ('exact', 'prefix')),
    signature_required integer not null,
    feeds_knowledge integer not null default 0,
    created_at bigint not null,
    primary key (space_id, id),
    unique (space_id, source, match)
  )`,
  'create index event_sources_source on event_sources (source, space_id)',
];

/**
 * Short-lived state of replicas, which may be lost if the database crashes. Most of the tables are therefore unlogged. Free space on each
 * page lets updates stay on the page.
 */
export const replicas = [
  `create unlogged table replicas (
    id ${TEXT} primary key,
    ends_at bigint not null
  ) with (fillfactor = 50)`,
  `create unlogged table rate_counts (
    name ${TEXT} not null,
    key ${TEXT} not null,
    ends_at double precision not null,
    count integer not null,
    times bigint[] not null,
    primary key (name, key)
  ) with (fillfactor = 70)`,
  `create unlogged table semaphores (
    key ${TEXT} primary key,
    holders text[] not null
  ) with (fillfactor = 50)`,
  // Statistics of the last hour.
  `create table event_counts (
    ${SPACE_ID},
    minute bigint not null,
    counter ${TEXT} not null,
    counts text not null,
    primary key (space_id, minute, counter)
  ) with (fillfactor = 50)`,
  'create index event_counts_minute on event_counts (minute)',
  `create unlogged table event_listeners (
    ${SPACE_ID},
    replica ${TEXT} not null,
    listeners integer not null,
    primary key (space_id, replica)
  ) with (fillfactor = 50)`,
];

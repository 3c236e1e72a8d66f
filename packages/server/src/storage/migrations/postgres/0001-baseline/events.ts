const TEXT = 'text collate "C"';
const IN_SPACE = `space_id ${TEXT} not null references spaces (id) on delete cascade`;
/** Column without a foreign key. A deleted space can have many rows, which are removed in steps after the space. */
const SPACE_ID = `space_id ${TEXT} not null`;

export const events = [
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
  `create table event_source_secrets (
    id ${TEXT} not null,
    ${IN_SPACE},
    source_id ${TEXT} not null,
    sealed text not null,
    created_at bigint not null,
    ends_at bigint,
    primary key (space_id, id),
    foreign key (space_id, source_id) references event_sources (space_id, id) on delete cascade
  )`,
  'create index event_source_secrets_source on event_source_secrets (space_id, source_id, id)',
  `create table event_consumers (
    name ${TEXT} primary key,
    created_at bigint not null
  )`,
  `create table event_cursors (
    ${IN_SPACE},
    consumer ${TEXT} not null,
    position bigint not null,
    updated_at bigint not null,
    primary key (space_id, consumer)
  )`,
  'create index event_cursors_consumer on event_cursors (consumer, space_id)',
  `create table subscriptions (
    id ${TEXT} not null,
    ${IN_SPACE},
    url text not null,
    types text,
    sources text,
    state text not null check (state in ('active', 'disabled', 'ended')),
    end_reason text,
    secrets text not null,
    position bigint not null,
    last_delivered_at bigint,
    last_failed_at bigint,
    last_failed_status integer,
    last_failure text,
    created_at bigint not null,
    revision integer not null default 0,
    deliveries_revision integer not null default 0,
    primary key (space_id, id)
  )`,
  `create table deliveries (
    ${IN_SPACE},
    subscription_id ${TEXT} not null,
    position bigint not null,
    state text not null check (state in ('waiting', 'parked')),
    resent integer not null,
    event_id text not null,
    source text not null,
    type text not null,
    subject text,
    bytes integer not null,
    received_at bigint not null,
    waiting_since bigint not null,
    next_attempt_at bigint not null,
    attempts integer not null,
    last_attempt_at bigint,
    last_status integer,
    last_failure text,
    text text not null,
    primary key (space_id, subscription_id, position),
    foreign key (space_id, subscription_id) references subscriptions (space_id, id) on delete cascade
  )`,
  'create index deliveries_state on deliveries (space_id, subscription_id, state, position)',
  // These tables contain short-lived state, which may be lost if the database crashes. The tables are therefore unlogged. Free
  // space on each page lets updates stay on the page.
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

const IN_SPACE = 'space_id text not null references spaces (id) on delete cascade';

export const events = [
  // Blobs are the last columns, in the order of use, because SQLite reads a row from the front.
  `create table event_batches (
    id integer primary key,
    space_id text not null,
    last_position integer not null,
    count integer not null,
    received_at integer not null,
    encoding text not null check (encoding in ('none', 'zstd')),
    identities blob not null,
    ends blob not null,
    texts blob not null
  )`,
  'create unique index event_batches_position on event_batches (space_id, last_position)',
  `create table event_heads (
    space_id text primary key,
    last_position integer not null,
    bytes integer not null default 0
  ) without rowid`,
  // Batches with events that change documents. The knowledge consumer skips all other batches.
  `create table event_knowledge_batches (
    space_id text not null,
    last_position integer not null,
    primary key (space_id, last_position)
  ) without rowid`,
  // Index of event identities in hash-partitioned segments; see docs/decisions/0002.
  `create table identity_segments (
    id integer primary key autoincrement,
    block_bits integer not null,
    count integer not null,
    through_batch integer not null,
    state text not null check (state in ('building', 'live', 'garbage')),
    filter blob
  )`,
  `create table identity_blocks (
    id integer primary key,
    keys blob not null
  )`,
  `create table event_sources (
    id text primary key,
    ${IN_SPACE},
    name text not null,
    source text not null,
    match text not null check (match in ('exact', 'prefix')),
    signature_required integer not null,
    created_at bigint not null,
    feeds_knowledge integer not null default 0,
    unique (space_id, source, match)
  )`,
  'create index event_sources_space on event_sources (space_id, id)',
  'create index event_sources_source on event_sources (source, space_id)',
  `create table event_source_secrets (
    id text primary key,
    ${IN_SPACE},
    source_id text not null references event_sources (id) on delete cascade,
    sealed text not null,
    created_at bigint not null,
    ends_at bigint
  )`,
  'create index event_source_secrets_source on event_source_secrets (space_id, source_id, id)',
  `create table event_consumers (
    name text primary key,
    created_at bigint not null
  )`,
  `create table event_cursors (
    ${IN_SPACE},
    consumer text not null,
    position bigint not null,
    updated_at bigint not null,
    primary key (space_id, consumer)
  )`,
  'create index event_cursors_consumer on event_cursors (consumer, space_id)',
  `create table subscriptions (
    id text primary key,
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
    deliveries_revision integer not null default 0
  )`,
  'create index subscriptions_space on subscriptions (space_id, id)',
  `create table deliveries (
    ${IN_SPACE},
    subscription_id text not null references subscriptions (id) on delete cascade,
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
    primary key (space_id, subscription_id, position)
  )`,
  'create index deliveries_state on deliveries (subscription_id, state, position, bytes)',
];

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
];

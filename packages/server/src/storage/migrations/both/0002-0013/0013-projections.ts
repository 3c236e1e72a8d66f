import type { Engine } from '../engine.ts';

/** Records from events. A record is a row of `documents` with a `projection_id`; `records` contains the state that events are merged into. */
export const projections = ({ text }: Engine) => [
  `alter table documents add column projection_id ${text}`,
  `create index documents_projection on documents (space_id, projection_id, id)
    where projection_id is not null`,
  `create table projections (
    space_id ${text} not null references spaces (id) on delete cascade,
    id ${text} not null,
    definition text not null,
    state ${text} not null check (state in ('clearing', 'building', 'publishing', 'live', 'deleting')),
    -- Incremented when the records are derived again. Records of earlier generations are outdated.
    generation bigint not null,
    -- Incremented by every change outside of the worker. The worker then discards its page.
    revision bigint not null,
    position bigint not null,
    -- Key of the last published record, while the state is \`publishing\`.
    published_key ${text},
    created_at bigint not null,
    updated_at bigint not null,
    primary key (space_id, id)
  )`,
  `create table records (
    space_id ${text} not null,
    projection_id ${text} not null,
    key ${text} not null,
    generation bigint not null,
    -- Null if the record was deleted or is not published yet.
    document bigint,
    newest_position bigint not null,
    state text not null,
    primary key (space_id, projection_id, key)
  )`,
  'create index records_position on records (space_id, projection_id, newest_position)',
  // The subjects of the events that a record depends on, for the erasure of a person.
  `create table record_subjects (
    space_id ${text} not null,
    subject ${text} not null,
    projection_id ${text} not null,
    key ${text} not null,
    primary key (space_id, subject, projection_id, key)
  )`,
  'create index record_subjects_key on record_subjects (space_id, projection_id, key)',
];

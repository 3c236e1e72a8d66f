import type { Engine } from '../engine.ts';

export const documentIndexes = [
  'create unique index documents_id on documents (space_id, id)',
  // Two subjects may have the same file with different permissions.
  `create unique index documents_file on documents (space_id, sha256, file_name)
    where subject is null and external_key is null and replaces is null`,
  `create unique index documents_key on documents (space_id, external_key)
    where external_key is not null`,
  `create index documents_replaces on documents (space_id, replaces)
    where replaces is not null`,
  `create unique index documents_subject on documents (space_id, subject)
    where subject is not null`,
  // Existing documents that are indexed again precede new documents, because existing documents are missing from search results
  // until they are indexed.
  `create index documents_unread on documents (space_id, created_at, number)
    where state = 'processing'`,
  `create index documents_unembedded on documents (number)
    where state = 'ready' and embedded_by is null`,
];

/** For each subject, the newest event that was applied or failed. Subjects of deleted documents are included. */
export const documentEvents = ({ text }: Engine) => [
  `create table document_events (
    space_id ${text} not null,
    subject ${text} not null,
    id ${text} not null,
    position bigint not null,
    event_id text not null,
    source text not null,
    type text not null check (type in ('upserted', 'deleted')),
    received_at bigint not null,
    state ${text} not null check (state in ('applied', 'failed')),
    failure text,
    updated_at bigint not null,
    primary key (space_id, subject)
  )`,
  'create unique index document_events_id on document_events (space_id, id)',
  `create index document_events_failed on document_events (space_id, id)
    where state = 'failed'`,
];

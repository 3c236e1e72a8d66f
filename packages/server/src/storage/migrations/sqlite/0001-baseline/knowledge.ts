/**
 * Documents, their passages, the full-text index and vectors. The upper bits of a document's number are the number of
 * its space, and those of a passage's rowid the number of its document. So the passages of a space are one range of
 * rowids, and a search reads nothing outside it.
 */
export const knowledge = [
  // Numbers are never reused: leftovers of a deleted document must not be attributed to another.
  `create table knowledge_spaces (
    number integer primary key autoincrement,
    space_id text not null unique,
    last_document integer not null default 0
  )`,
  `create table documents (
    number integer primary key,
    space_id text not null,
    id text not null,
    file_name text not null,
    file_name_folded text not null,
    mime_type text not null,
    language text,
    state text not null check (state in ('processing', 'ready', 'failed')),
    created_at text not null,
    updated_at text not null,
    metadata text not null,
    metadata_folded text not null,
    title text,
    size integer not null,
    sha256 text not null,
    failure text,
    attempts integer not null default 0,
    passages integer not null default 0,
    embedded_by text,
    subject text
  )`,
  'create unique index documents_id on documents (space_id, id)',
  // Two subjects may have the same file, with different permissions.
  `create unique index documents_file on documents (space_id, sha256, file_name)
    where subject is null`,
  `create unique index documents_subject on documents (space_id, subject)
    where subject is not null`,
  // An existing document that is indexed again precedes new ones: it is missing meanwhile.
  `create index documents_unread on documents (space_id, created_at, number)
    where state = 'processing'`,
  `create index documents_unembedded on documents (number)
    where state = 'ready' and embedded_by is null`,
  `create table document_values (
    space_id text not null,
    path text not null,
    value text not null,
    document integer not null,
    primary key (space_id, path, value, document)
  ) without rowid`,
  `create table document_parts (
    space_id text not null,
    document integer not null,
    part integer not null,
    bytes blob not null,
    primary key (space_id, document, part)
  )`,
  `create table passages (
    id integer primary key,
    heading text,
    text text not null
  )`,
  // lib/text makes the terms; they are split at spaces only.
  `create virtual table passages_fts using fts5 (
    title, heading, body,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '+#'"
  )`,
  // Deleted documents whose passages are still to be removed.
  `create table document_remains (
    number integer primary key,
    space_id text not null
  )`,
  // The newest event per subject that was applied or failed, deleted documents included.
  `create table document_events (
    space_id text not null,
    subject text not null,
    id text not null,
    position bigint not null,
    event_id text not null,
    source text not null,
    type text not null check (type in ('upserted', 'deleted')),
    received_at bigint not null,
    state text not null check (state in ('applied', 'failed')),
    failure text,
    updated_at bigint not null,
    primary key (space_id, subject)
  )`,
  'create unique index document_events_id on document_events (space_id, id)',
  `create index document_events_failed on document_events (space_id, id)
    where state = 'failed'`,
  // One row per up to 32 consecutive passages, with the rowid of the first.
  `create table document_sketches (
    id integer primary key,
    model text not null,
    dimensions integer not null,
    sketches blob not null
  )`,
  // A separate table, because a search reads every sketch but few vectors.
  `create table document_vectors (
    id integer primary key,
    vectors blob not null
  )`,
];

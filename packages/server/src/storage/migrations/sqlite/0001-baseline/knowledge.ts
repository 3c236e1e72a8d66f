import { documentEvents, documentIndexes } from '../../both/0001-baseline/documents.ts';
import { SQLITE } from '../../both/engine.ts';

/**
 * Documents, passages, term vectors and vectors. The upper bits of a document number are the number of its space, and the upper bits
 * of a passage's rowid are the document number. The passages of a space are therefore one range of rowids, and a search reads only this
 * range.
 */
export const knowledge = [
  // Numbers are never reused. Otherwise remaining data of a deleted document could be attributed to another document.
  `create table knowledge_spaces (
    number integer primary key autoincrement,
    space_id text not null unique,
    last_document integer not null default 0,
    replacements integer not null default 0
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
    external_key text,
    -- A row of a new version: the number of the document's current version.
    replaces integer,
    -- A row of a current version: the number of the newest version, until it is indexed.
    next_number integer,
    metadata text not null,
    metadata_folded text not null,
    metadata_collected text,
    title text,
    given_title text,
    url text,
    size integer not null,
    sha256 text not null,
    failure text,
    attempts integer not null default 0,
    passages integer not null default 0,
    embedded_by text,
    subject text
  )`,
  ...documentIndexes,
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
  // Each row contains the terms of consecutive passages. Its rowid is the rowid of the first passage. `full-text/terms` defines the format.
  `create table term_vectors (
    id integer primary key,
    terms blob not null
  )`,
  // The last changes of documents, for caches in memory. `reindexed` is 1 if the document's passages may have changed.
  `create table document_changes (
    id integer primary key autoincrement,
    space_id text not null,
    number integer not null,
    reindexed integer not null
  )`,
  `create trigger document_changes_limit after insert on document_changes begin
    delete from document_changes where id <= new.id - 100000;
  end`,
  `create trigger documents_inserted after insert on documents when new.state = 'ready' begin
    insert into document_changes (space_id, number, reindexed) values (new.space_id, new.number, 1);
  end`,
  `create trigger documents_deleted after delete on documents when old.state = 'ready' begin
    insert into document_changes (space_id, number, reindexed) values (old.space_id, old.number, 1);
  end`,
  `create trigger documents_updated after update on documents
    when (old.state = 'ready' or new.state = 'ready') and old.number = new.number and old.space_id = new.space_id
  begin
    insert into document_changes (space_id, number, reindexed)
    values (new.space_id, new.number, old.state <> new.state or old.passages <> new.passages);
  end`,
  `create trigger documents_renumbered after update on documents
    when (old.state = 'ready' or new.state = 'ready') and (old.number <> new.number or old.space_id <> new.space_id)
  begin
    insert into document_changes (space_id, number, reindexed)
    values (old.space_id, old.number, 1), (new.space_id, new.number, 1);
  end`,
  // A new version can hide the current version, so a change of the new version is logged as a change of the current version.
  `create trigger document_versions_inserted after insert on documents when new.replaces is not null begin
    insert into document_changes (space_id, number, reindexed) values (new.space_id, new.replaces, 0);
  end`,
  `create trigger document_versions_deleted after delete on documents when old.replaces is not null begin
    insert into document_changes (space_id, number, reindexed) values (old.space_id, old.replaces, 0);
  end`,
  `create trigger document_versions_updated after update on documents
    when old.replaces is not null or new.replaces is not null
  begin
    insert into document_changes (space_id, number, reindexed)
    select new.space_id, number, 0
    from (select old.replaces as number union select new.replaces) where number is not null;
  end`,
  // Deleted documents whose passages have not been removed yet, and originals that are being uploaded. Rows of uploads have a later
  // `due_at`, in Unix milliseconds, and are deleted when their document is stored.
  `create table document_remains (
    number integer primary key,
    space_id text not null,
    due_at integer not null default 0
  )`,
  ...documentEvents(SQLITE),
  // Each row contains the sketches of up to 32 consecutive passages. Its rowid is the rowid of the first passage.
  `create table document_sketches (
    id integer primary key,
    model text not null,
    dimensions integer not null,
    sketches blob not null
  )`,
  // Vectors have a separate table, because a search reads every sketch but few vectors.
  `create table document_vectors (
    id integer primary key,
    vectors blob not null
  )`,
];

import { type Kysely, sql } from 'kysely';

/**
 * Documents, their passages and the full-text index of the embedded store. A document's number holds
 * the number of its space in its upper bits, and a passage's rowid that of its document, so that a
 * space's passages are one range of rowids: a search looks at nothing outside of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Numbers are never used again: what a deleted document left must not pass for another's.
  await sql`create table knowledge_spaces (
    number integer primary key autoincrement,
    space_id text not null unique,
    last_document integer not null default 0
  )`.execute(db);
  await sql`create table documents (
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
    passages integer not null default 0
  )`.execute(db);
  await sql`create unique index documents_id on documents (space_id, id)`.execute(db);
  await sql`create unique index documents_file on documents (space_id, sha256, file_name)`.execute(
    db,
  );
  await sql`create index documents_unread on documents (space_id, number) where state = 'processing'`.execute(
    db,
  );
  await sql`create table document_values (
    space_id text not null,
    path text not null,
    value text not null,
    document integer not null,
    primary key (space_id, path, value, document)
  ) without rowid`.execute(db);
  await sql`create table document_parts (
    document integer not null,
    part integer not null,
    bytes blob not null,
    primary key (document, part)
  )`.execute(db);
  await sql`create table passages (
    id integer primary key,
    heading text,
    text text not null
  )`.execute(db);
  // Its terms are made by `src/text`, and split at spaces again (`FTS5_TOKENIZE` as it was then).
  await sql`create virtual table passages_fts using fts5 (
    title, heading, body,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '+#'"
  )`.execute(db);
  await sql`create virtual table passages_terms using fts5vocab (passages_fts, row)`.execute(db);
  // Deleted documents whose passages are still to be removed.
  await sql`create table document_remains (number integer primary key)`.execute(db);
}

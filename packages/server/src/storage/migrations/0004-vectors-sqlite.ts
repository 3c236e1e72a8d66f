import { type Kysely, sql } from 'kysely';

/**
 * What an embedding model made of passages. A row holds the vectors of up to 32 passages that follow each
 * other and has the rowid of the first, so that a document's are one range and a space's another.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The model whose vectors the whole document has; null while it has not.
  await sql`alter table documents add column embedded_by text`.execute(db);
  await sql`create index documents_unembedded on documents (number)
    where state = 'ready' and embedded_by is null`.execute(db);
  // Apart, because a search reads every sketch but few vectors.
  await sql`create table document_sketches (
    id integer primary key,
    model text not null,
    dimensions integer not null,
    sketches blob not null
  )`.execute(db);
  await sql`create table document_vectors (
    id integer primary key,
    vectors blob not null
  )`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/** Parts of originals have their space first, as in PostgreSQL, so that one statement finds them on both engines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table document_parts rename to old_parts`.execute(db);
  await sql`create table document_parts (
    space_id text not null,
    document integer not null,
    part integer not null,
    bytes blob not null,
    primary key (space_id, document, part)
  )`.execute(db);
  // Those of deleted documents are gone with this.
  await sql`insert into document_parts (space_id, document, part, bytes)
    select documents.space_id, document, part, bytes from old_parts
    join documents on documents.number = old_parts.document`.execute(db);
  await sql`drop table old_parts`.execute(db);
  // What was noted before has no parts any more, and the rest of it is found by the number.
  await sql`alter table document_remains add column space_id text not null default ''`.execute(db);
}

import { type Kysely, sql } from 'kysely';

/**
 * Documents that events keep in step with another system: the subject of each, for each subject the newest
 * event that was looked at, deleted documents included, and which event sources may do so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table documents add column subject text`.execute(db);
  // Two subjects may have the same file, with other permissions.
  await sql`drop index documents_file`.execute(db);
  await sql`create unique index documents_file on documents (space_id, sha256, file_name)
    where subject is null`.execute(db);
  await sql`create unique index documents_subject on documents (space_id, subject)
    where subject is not null`.execute(db);
  // One that was there before and is read anew goes before new ones: it is missing meanwhile.
  await sql`drop index documents_unread`.execute(db);
  await sql`create index documents_unread on documents (space_id, created_at, number)
    where state = 'processing'`.execute(db);
  await db.schema
    .alterTable('event_sources')
    .addColumn('feeds_knowledge', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('document_events')
    // Its rows are removed in steps when the space is gone, since they may be many.
    .addColumn('space_id', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull().check(sql`type in ('upserted', 'deleted')`))
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('applied', 'failed')`))
    .addColumn('failure', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('document_events_key', ['space_id', 'subject'])
    .execute();
  await db.schema
    .createIndex('document_events_id')
    .unique()
    .on('document_events')
    .columns(['space_id', 'id'])
    .execute();
  await db.schema
    .createIndex('document_events_failed')
    .on('document_events')
    .columns(['space_id', 'id'])
    .where(sql.ref('state'), '=', sql.lit('failed'))
    .execute();
}

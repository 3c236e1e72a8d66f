import { type Kysely, sql } from 'kysely';

/** Event sources, and the secrets that prove them, encrypted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('event_sources')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('space_id', 'text', (c) => c.notNull().references('spaces.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('match', 'text', (c) => c.notNull().check(sql`"match" in ('exact', 'prefix')`))
    .addColumn('signature_required', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('event_sources_one', ['space_id', 'source', 'match'])
    .execute();
  await db.schema
    .createIndex('event_sources_space')
    .on('event_sources')
    .columns(['space_id', 'id'])
    .execute();
  await db.schema
    .createIndex('event_sources_source')
    .on('event_sources')
    .columns(['source', 'space_id'])
    .execute();
  await db.schema
    .createTable('event_source_secrets')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('space_id', 'text', (c) => c.notNull().references('spaces.id').onDelete('cascade'))
    .addColumn('source_id', 'text', (c) =>
      c.notNull().references('event_sources.id').onDelete('cascade'),
    )
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('ends_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('event_source_secrets_source')
    .on('event_source_secrets')
    .columns(['space_id', 'source_id', 'id'])
    .execute();
}

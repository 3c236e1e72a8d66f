import type { Kysely } from 'kysely';

/** How far the durable consumers of events have got. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('event_consumers')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('event_cursors')
    .addColumn('space_id', 'text', (c) => c.notNull().references('spaces.id').onDelete('cascade'))
    .addColumn('consumer', 'text', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('event_cursors_key', ['space_id', 'consumer'])
    .execute();
  await db.schema
    .createIndex('event_cursors_consumer')
    .on('event_cursors')
    .columns(['consumer', 'space_id'])
    .execute();
}

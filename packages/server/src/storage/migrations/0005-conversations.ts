import { type Kysely, sql } from 'kysely';

/** Conversations of people behind links, and what was said in them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('conversations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('space_id', 'text', (c) => c.notNull().references('spaces.id').onDelete('cascade'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('link_id', 'text', (c) => c.references('links.id').onDelete('cascade'))
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('conversations_chat')
    .on('conversations')
    .columns(['space_id', 'owner', 'chat_id'])
    .unique()
    .execute();
  await db.schema
    .createIndex('conversations_newest')
    .on('conversations')
    .columns(['space_id', 'owner', 'updated_at'])
    .execute();
  // Deleting a link looks here.
  await db.schema
    .createIndex('conversations_link')
    .on('conversations')
    .column('link_id')
    .where(sql.ref('link_id'), 'is not', null)
    .execute();
  await db.schema
    .createTable('messages')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('space_id', 'text', (c) => c.notNull())
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().references('conversations.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('user', 'assistant')`))
    .addColumn('sent_id', 'text')
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) =>
      c.notNull().check(sql`state in ('finished', 'stopped', 'failed')`),
    )
    .addColumn('failure', 'text')
    .addColumn('sources', 'text', (c) => c.notNull())
    .addColumn('documents', 'text', (c) => c.notNull())
    .addColumn('input_tokens', 'integer')
    .addColumn('output_tokens', 'integer')
    .addColumn('rating', 'text', (c) => c.check(sql`rating in ('up', 'down')`))
    .addColumn('comment', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('messages_position')
    .on('messages')
    .columns(['conversation_id', 'position'])
    .unique()
    .execute();
}

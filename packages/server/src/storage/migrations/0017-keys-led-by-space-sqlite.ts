import type { Kysely } from 'kysely';

/** Keys that PostgreSQL has with the space first, so that one statement finds them on both engines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('bot_members_space')
    .unique()
    .on('bot_members')
    .columns(['space_id', 'bot_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('conversations_space')
    .unique()
    .on('conversations')
    .columns(['space_id', 'id'])
    .execute();
}

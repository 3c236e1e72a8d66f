import type { Kysely } from 'kysely';

/** Lists go by ids. Without this each page would sort all that its owner has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('conversations_listed')
    .on('conversations')
    .columns(['space_id', 'owner', 'id'])
    .execute();
}

import type { Kysely } from 'kysely';

/** Who made an answer, and what it cost. Answers from before have neither. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('messages').addColumn('model', 'text').execute();
  await db.schema.alterTable('messages').addColumn('cost_millionths', 'bigint').execute();
}

import { type Kysely, sql } from 'kysely';
import { migrate, postgresMigrations } from '../migrations/index.ts';

const LOCK = 4_722_366_482;

/**
 * Migrates the schema. Concurrent replicas wait for an advisory lock. The lock is bound to the transaction, so it also works
 * behind a pooler.
 */
export function migratePostgres(db: Kysely<unknown>): Promise<void> {
  return migrate(db, postgresMigrations, async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx);
  });
}

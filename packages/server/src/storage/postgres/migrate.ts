import { type Kysely, sql } from 'kysely';
import { migrate, postgresMigrations } from '../migrations/index.ts';

/** Of the advisory lock under which the schema is changed; any number that nothing else uses. */
const LOCK = 4_722_366_482;

/** Brings the schema up to date, however many replicas begin at once. It is held by a transaction, as poolers need it. */
export function migratePostgres(db: Kysely<unknown>): Promise<void> {
  return migrate(db, postgresMigrations, async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx);
  });
}

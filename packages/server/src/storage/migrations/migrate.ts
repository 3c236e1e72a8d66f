import { type Kysely, sql } from 'kysely';
import type { Migration } from './index.ts';

/** The database was written by a newer release than this one. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/** The end of the names of steps that only add what releases before do not look at: these may run beside them. */
const HARMLESS = '+';

/**
 * Brings the schema up to date: each missing step in order, each in one transaction with its
 * bookkeeping row, so that a crash leaves a step done or not begun. Throws `NewerSchema` when the
 * database has steps that this release does not know and cannot run beside.
 *
 * @param lock is taken at the beginning of each transaction, where several processes may come at once.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: Readonly<Record<string, Migration>>,
  lock: (trx: Kysely<unknown>) => Promise<void> = async () => {},
): Promise<void> {
  await alone(db, async (trx) => {
    await lock(trx);
    await sql`create table if not exists migrations (
      name text primary key,
      applied_at text not null
    )`.execute(trx);
  });
  const applied = await stepsOf(db);
  const unknown = [...applied].filter(
    (name) => !Object.hasOwn(migrations, name) && !name.endsWith(HARMLESS),
  );
  if (unknown.length > 0)
    throw new NewerSchema(
      `the database has steps that this release does not know (${unknown.join(', ')}); start the newer release again`,
    );
  for (const [name, migration] of Object.entries(migrations)) {
    if (applied.has(name)) continue;
    await alone(db, async (trx) => {
      await lock(trx);
      // Somebody else may have taken it meanwhile.
      if ((await stepsOf(trx)).has(name)) return;
      await migration.up(trx);
      await sql`insert into migrations (name, applied_at) values (${name}, ${new Date().toISOString()})`.execute(
        trx,
      );
    });
  }
}

/** What is read behind the lock must be what others left there, and no older picture. */
async function alone(
  db: Kysely<unknown>,
  work: (trx: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  await db.transaction().setIsolationLevel('read committed').execute(work);
}

async function stepsOf(db: Kysely<unknown>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db);
  return new Set(rows.map((row) => row.name));
}

import { type Kysely, sql } from 'kysely';

/** One forward step of the schema. It runs in one transaction with its row in `migrations`. */
export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
}

/** Migrations by name, in order. */
export type Migrations = Readonly<Record<string, Migration>>;

/** A newer release has migrated the database. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/** Suffix of migrations that add only what earlier releases ignore: these releases may run on the migrated schema. */
const COMPATIBLE = '+';

/** Returns a migration that executes SQL statements. */
export function statements(texts: readonly string[]): Migration {
  return {
    up: async (db) => {
      for (const text of texts) await sql.raw(text).execute(db);
    },
  };
}

/** Reports whether exactly these migrations are applied. */
export function isUpToDate(applied: readonly unknown[], migrations: Migrations): boolean {
  const names = Object.keys(migrations);
  return applied.length === names.length && names.every((name) => applied.includes(name));
}

/**
 * Applies the missing migrations in order. Each runs in a transaction, so after a crash it is applied or not started.
 * Throws `NewerSchema` if an unknown migration is applied that is not compatible.
 *
 * @param lock runs first in each transaction; it serialises concurrent processes.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: Migrations,
  lock: (trx: Kysely<unknown>) => Promise<void> = async () => {},
): Promise<void> {
  const locked = (work: (trx: Kysely<unknown>) => Promise<void>) =>
    // Read committed: reads after acquiring the lock must see what other processes committed before.
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (trx) => {
        await lock(trx);
        await work(trx);
      });
  await locked(async (trx) => {
    await sql`create table if not exists migrations (
      name text primary key,
      applied_at text not null
    )`.execute(trx);
  });
  const applied = await appliedTo(db);
  const unknown = [...applied].filter(
    (name) => !Object.hasOwn(migrations, name) && !name.endsWith(COMPATIBLE),
  );
  if (unknown.length > 0)
    throw new NewerSchema(
      `the database has migrations that this release does not know (${unknown.join(', ')}); start the newer release`,
    );
  for (const [name, migration] of Object.entries(migrations)) {
    if (applied.has(name)) continue;
    await locked(async (trx) => {
      // Another process may have applied it in the meantime.
      if ((await appliedTo(trx)).has(name)) return;
      await migration.up(trx);
      const row = sql`${name}, ${new Date().toISOString()}`;
      await sql`insert into migrations (name, applied_at) values (${row})`.execute(trx);
    });
  }
}

async function appliedTo(db: Kysely<unknown>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db);
  return new Set(rows.map((row) => row.name));
}

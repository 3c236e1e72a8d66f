import { type Kysely, sql } from 'kysely';
import { retryConflicts } from '../ports/transactions.ts';

/** One forward step of the schema. The step and its row in `migrations` are written in one transaction. */
export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
}

export type Migrations = Readonly<Record<string, Migration>>;

/** Thrown if a newer release migrated the database. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/**
 * Suffix of the names of compatible migrations. A compatible migration only adds objects that earlier releases ignore, so earlier
 * releases can use the migrated schema.
 */
const COMPATIBLE = '+';

export function statements(texts: readonly string[]): Migration {
  return {
    up: async (db) => {
      for (const text of texts) await sql.raw(text).execute(db);
    },
  };
}

export function isUpToDate(applied: readonly unknown[], migrations: Migrations): boolean {
  const names = Object.keys(migrations);
  return applied.length === names.length && names.every((name) => applied.includes(name));
}

/**
 * Applies the missing migrations in order. Each migration runs in its own transaction, so a crash never leaves a migration half
 * applied, and runs again if a deadlock aborts it. Throws `NewerSchema` if the database contains an unknown, incompatible migration.
 *
 * @param lock acquires a lock at the start of each transaction, to serialise concurrent processes.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: Migrations,
  lock: (trx: Kysely<unknown>) => Promise<void> = async () => {},
): Promise<void> {
  const locked = (work: (trx: Kysely<unknown>) => Promise<void>) =>
    // A migration locks tables that other replicas use, so the server may abort its transaction to end a deadlock.
    retryConflicts(() =>
      // Read committed, because reads after acquiring the lock must see the migrations that other processes committed.
      db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async (trx) => {
          await lock(trx);
          await work(trx);
        }),
    );
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
      `the database has migrations that this release does not know (${unknown.join(', ')}); start the newer release instead`,
    );
  for (const [name, migration] of Object.entries(migrations)) {
    if (applied.has(name)) continue;
    await locked(async (trx) => {
      // Another process may have applied the migration in the meantime.
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

import { type Kysely, sql } from 'kysely';
import type { Migration } from '../../migrations/index.ts';

/** The database was written by a newer release than this one. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/**
 * Brings the schema up to date: each missing step in order, each in one transaction with its
 * bookkeeping row, so that a crash leaves a step done or not begun. Throws `NewerSchema` when the
 * database has steps that this release does not know.
 */
export async function migrate(
  db: Kysely<unknown>,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  await sql`create table if not exists migrations (
    name text primary key,
    applied_at text not null
  )`.execute(db);
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db);
  const applied = new Set(rows.map((row) => row.name));
  const unknown = [...applied].filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0)
    throw new NewerSchema(
      `the database has steps that this release does not know (${unknown.join(', ')}); start the newer release again`,
    );
  for (const [name, migration] of Object.entries(migrations)) {
    if (applied.has(name)) continue;
    await db.transaction().execute(async (trx) => {
      await migration.up(trx);
      await sql`insert into migrations (name, applied_at) values (${name}, ${new Date().toISOString()})`.execute(
        trx,
      );
    });
  }
}

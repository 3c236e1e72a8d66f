import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { connectTo, ON_POSTGRES } from './backend.ts';

export type StoredRow = Record<string, unknown>;

/** Runs a statement on the database of a service. Each `?` is replaced by a value. */
export async function stored(
  dataDir: string,
  sql: string,
  ...values: SQLInputValue[]
): Promise<StoredRow[]> {
  if (!ON_POSTGRES) {
    using db = new DatabaseSync(join(dataDir, 'gatehouse.db'), { timeout: 10_000 });
    return db
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }));
  }
  const client = await connectTo(dataDir);
  let place = 0;
  const numbered = sql.replaceAll('?', () => {
    place += 1;
    return `$${place}`;
  });
  try {
    return (await client.query<StoredRow>(numbered, values)).rows;
  } finally {
    await client.end();
  }
}

export async function storedTables(dataDir: string): Promise<string[]> {
  const rows = await stored(
    dataDir,
    ON_POSTGRES
      ? "select tablename as name from pg_tables where schemaname = 'public'"
      : "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  );
  return rows.map(({ name }) => String(name));
}

/**
 * Returns all stored data. With the embedded store, this is the content of all files in the data directory. With PostgreSQL, this is every
 * row of every table.
 */
export async function allStored(dataDir: string): Promise<string> {
  if (!ON_POSTGRES)
    return readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
      .join();
  const tables = await storedTables(dataDir);
  const rows = await Promise.all(
    tables.map((table) => stored(dataDir, `select t::text as row from "${table}" t`)),
  );
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isUpToDate, sqliteMigrations } from '../../migrations/index.ts';
import type { CopyEnd } from '../../ports/copy.ts';
import { UnusableDatabase } from '../../ports/store.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { lockDirectory } from '../directory-lock.ts';
import { openSqlite } from '../index.ts';
import {
  countIdentities,
  readCounters,
  readIdentities,
  writeCounters,
  writeIdentities,
} from './identities.ts';
import { columnsOf, readRows } from './read-rows.ts';
import { writeRows } from './write-rows.ts';

const QUEUE_BYTES = 8 * 1024 * 1024;

/**
 * An embedded store as an end of a copy, which holds its directory alone. Throws `DirectoryInUse`, and
 * `UnusableDatabase` where what is to be copied is not of this release.
 */
export async function openSqliteEnd(
  directory: string,
  { make }: { readonly make: boolean },
): Promise<CopyEnd> {
  if (make && holdsNobody(directory)) await makeStore(directory);
  using held = new DisposableStack();
  const file = join(directory, 'gatehouse.db');
  if (!existsSync(file)) throw new UnusableDatabase(`there is no database in ${directory}`);
  held.use(lockDirectory(directory));
  const db = openForWriting(file);
  held.defer(() => db.close());
  if (!isOfThisRelease(db))
    throw new UnusableDatabase(
      `the database in ${directory} was last used by another release; start the service of this one once`,
    );
  const fact = db.prepare('select value from installation where name = ?');
  const putFact = db.prepare(
    'insert into installation (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
  const all = held.move();
  return {
    words: directory,
    columns: async (table) => columnsOf(db, table),
    rows: (table, after) => readRows(db, table, after),
    write: async (table, rows, { name, value }) =>
      inOne(db, () => {
        writeRows(db, table, rows);
        putFact.run(name, value);
      }),
    isEmpty: async (tables) =>
      countIdentities(db) === 0 &&
      tables.every(({ name }) => db.prepare(`select 1 from ${name} limit 1`).get() === undefined),
    identities: () => readIdentities(db),
    writeIdentities: (identities) => writeIdentities(db, identities, (work) => inOne(db, work)),
    counters: async () => readCounters(db),
    writeCounters: async (counters) => inOne(db, () => writeCounters(db, counters)),
    fact: async (name) => fact.get(name)?.['value'] as string | undefined,
    putFact: async (name, value) => void putFact.run(name, value),
    [Symbol.asyncDispose]: async () => all.dispose(),
  };
}

/** Whether the schema may be brought up to date, since nobody can have used it. */
function holdsNobody(directory: string): boolean {
  const file = join(directory, 'gatehouse.db');
  if (!existsSync(file)) return true;
  const db = openForReading(file);
  try {
    const made = db.prepare("select 1 from sqlite_schema where name = 'users'").get();
    return made === undefined || db.prepare('select 1 from users limit 1').get() === undefined;
  } finally {
    db.close();
  }
}

async function makeStore(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fail = (error: unknown): never => {
    throw error;
  };
  const store = await openSqlite({
    directory,
    queueBytes: QUEUE_BYTES,
    onDeath: fail,
    onError: fail,
  });
  await store[Symbol.asyncDispose]();
}

function isOfThisRelease(db: DatabaseSync): boolean {
  const applied = db.prepare('select name from migrations').all();
  return isUpToDate(
    applied.map(({ name }) => name),
    sqliteMigrations,
  );
}

function inOne(db: DatabaseSync, work: () => void): void {
  db.exec('begin immediate');
  try {
    work();
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

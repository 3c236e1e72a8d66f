import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isUpToDate, sqliteMigrations } from '../../migrations/index.ts';
import type { CopyEnd } from '../../ports/copy.ts';
import { UnusableDatabase } from '../../ports/store.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { existingDatabase, lockDirectory } from '../directory-lock.ts';
import { openSqlite } from '../index.ts';
import { DurableLog } from '../writer/durable-log.ts';
import {
  hasSegments,
  readCounters,
  readIdentities,
  writeCounters,
  writeIdentities,
} from './identities.ts';
import { columnsOf, readRows } from './read-rows.ts';
import { writeRows } from './write-rows.ts';

const QUEUE_BYTES = 8 * 1024 * 1024;

/**
 * Opens a SQLite store as the source or target of a copy and locks its directory. Throws `DirectoryInUse`, and
 * `UnusableDatabase` if there is no database or if its schema belongs to another release.
 */
export async function openSqliteEnd(
  directory: string,
  { make }: { readonly make: boolean },
): Promise<CopyEnd> {
  if (make && hasNoUsers(directory)) await createStore(directory);
  using held = new DisposableStack();
  const file = existingDatabase(directory, 'check the path');
  held.use(lockDirectory(directory));
  const db = openForWriting(file);
  // If the log is lost, `ensure` throws and the copy ends.
  const log = new DurableLog(db, realpathSync(file), { fd: null, onLost: () => {} });
  held.defer(() => log.close());
  log.ensure();
  if (!isOfThisRelease(db))
    throw new UnusableDatabase(
      `the database in ${directory} was last used by another release; start the service of this release once to migrate it`,
    );
  const fact = db.prepare('select value from installation where name = ?');
  const inTransaction = (work: () => void) => {
    commit(db, work, log);
    log.checkpoint();
  };
  const putFact = db.prepare(
    'insert into installation (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
  const all = held.move();
  return {
    label: directory,
    columns: async (table) => columnsOf(db, table),
    rows: (table, after) => readRows(db, table, after),
    write: async (table, rows, { name, value }) =>
      inTransaction(() => {
        writeRows(db, table, rows);
        putFact.run(name, value);
      }),
    isEmpty: async (tables) =>
      !hasSegments(db) &&
      tables.every(({ name }) => db.prepare(`select 1 from ${name} limit 1`).get() === undefined),
    identities: () => readIdentities(db),
    writeIdentities: (identities) => writeIdentities(db, identities, inTransaction),
    counters: async () => readCounters(db),
    writeCounters: async (counters) => inTransaction(() => writeCounters(db, counters)),
    fact: async (name) => fact.get(name)?.['value'] as string | undefined,
    putFact: async (name, value) => void putFact.run(name, value),
    [Symbol.asyncDispose]: async () => all.dispose(),
  };
}

/** Reports whether the store is unused. Only the schema of an unused store may be migrated. */
function hasNoUsers(directory: string): boolean {
  const file = join(directory, 'gatehouse.db');
  if (!existsSync(file)) return true;
  const db = openForReading(file);
  try {
    const table = db.prepare("select 1 from sqlite_schema where name = 'users'").get();
    return table === undefined || db.prepare('select 1 from users limit 1').get() === undefined;
  } finally {
    db.close();
  }
}

async function createStore(directory: string): Promise<void> {
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

function commit(db: DatabaseSync, work: () => void, log: DurableLog): void {
  db.exec('begin immediate');
  try {
    work();
    db.exec('commit');
  } catch (error) {
    log.failed(error);
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

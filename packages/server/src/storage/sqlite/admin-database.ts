import { constants } from 'node:fs';
import { Kysely } from 'kysely';
import { isUpToDate, sqliteMigrations } from '../migrations/index.ts';
import type { Tables } from '../ports/database.ts';
import { type Store, UnusableDatabase } from '../ports/store.ts';
import { openForReading } from './connection.ts';
import { createDialect, readFrom } from './dialect.ts';
import { checkAccess, existingDatabase } from './directory-lock.ts';
import { Writer } from './writer/writer.ts';

const QUEUE_BYTES = 1024 * 1024;

/**
 * Opens the tables of a store for an operator command that changes a few rows while the service runs. It does not lock
 * the directory and does not open the event log or knowledge. Transactions of the command and the service wait for each
 * other. Throws `UnusableDatabase` if there is no database or if its schema belongs to another release.
 */
export async function openAdminDatabase(
  directory: string,
): Promise<AsyncDisposable & Pick<Store, 'db' | 'clock'>> {
  await using opened = new AsyncDisposableStack();
  checkAccess(directory, constants.R_OK | constants.W_OK);
  const file = existingDatabase(directory);
  const reader = openForReading(file);
  opened.defer(() => reader.close());
  const rows = reader.prepare('select name from migrations').all();
  const applied = rows.map(({ name }) => name);
  if (!isUpToDate(applied, sqliteMigrations))
    throw new UnusableDatabase(
      `the database in ${directory} was last used by another release; start the service of this release once to migrate it`,
    );
  const fail = (error: unknown): never => {
    throw error;
  };
  const writer = new Writer({ file, queueBytes: QUEUE_BYTES, onDeath: fail, onError: fail });
  opened.defer(() => writer.close());
  const db = new Kysely<Tables>({ dialect: createDialect(readFrom(reader), writer) });
  const held = opened.move();
  return { db, clock: Date.now, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

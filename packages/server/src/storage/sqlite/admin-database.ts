import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { isUpToDate, sqliteMigrations } from '../migrations/index.ts';
import type { Database, Tables } from '../ports/database.ts';
import { UnusableDatabase } from '../ports/store.ts';
import { openForReading } from './connection.ts';
import { createDialect, readFrom } from './dialect.ts';
import { Writer } from './writer/writer.ts';

const QUEUE_BYTES = 1024 * 1024;

/**
 * The small tables of an embedded store, for a command that changes a row or two beside a running service: without
 * the lock of the directory and without events and documents. Its transactions wait for those of the
 * service and the other way round. Throws `UnusableDatabase` where there is no database of this release.
 */
export async function openAdminDatabase(
  directory: string,
): Promise<AsyncDisposable & { readonly db: Database }> {
  await using opened = new AsyncDisposableStack();
  const file = join(directory, 'gatehouse.db');
  if (!existsSync(file)) throw new UnusableDatabase(`there is no database in ${directory}`);
  const reader = openForReading(file);
  opened.defer(() => reader.close());
  const rows = reader.prepare('select name from migrations').all();
  const applied = rows.map(({ name }) => name);
  if (!isUpToDate(applied, sqliteMigrations))
    throw new UnusableDatabase(
      `the database in ${directory} was last used by another release; start the service of this one first`,
    );
  const fail = (error: unknown): never => {
    throw error;
  };
  const writer = new Writer({ file, queueBytes: QUEUE_BYTES, onDeath: fail, onError: fail });
  opened.defer(() => writer.close());
  const db = new Kysely<Tables>({ dialect: createDialect(readFrom(reader), writer) });
  const held = opened.move();
  return { db, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

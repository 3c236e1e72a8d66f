import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { sqliteMigrations } from '../../../migrations/index.ts';
import type { Database, Tables } from '../../ports/database.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { migrate } from '../migrate.ts';
import { openForReading, openForWriting } from './connection.ts';
import { createDialect } from './dialect.ts';
import { lockDirectory } from './directory-lock.ts';
import { createEventStore } from './event-store.ts';
import { Writer } from './writer.ts';

export { DirectoryInUse } from './directory-lock.ts';

export interface SqliteOptions {
  /** An existing directory; the store holds it alone. */
  readonly directory: string;
  /** Bytes of writes that may wait for the disk before more are refused as overloaded. */
  readonly queueBytes: number;
  /** The writer died, and the process should end. */
  readonly onDeath: (error: Error) => void;
  /** Background work failed; it is tried again at the next start. */
  readonly onError: (error: unknown) => void;
}

export interface Store extends AsyncDisposable {
  readonly db: Database;
  readonly events: EventStore;
  /** Throws when the store cannot be read. */
  check(): void;
  /** Bytes of writes that wait for the disk. */
  waitingBytes(): number;
}

/**
 * Opens the embedded store in a directory and brings its schema up to date. Throws `DirectoryInUse`
 * when another process has it, `NewerSchema` when a newer release wrote it.
 */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const file = join(options.directory, 'gatehouse.db');
  const lock = lockDirectory(options.directory);
  if (!existsSync(file)) openForWriting(file).close();
  const writer = new Writer({ file, queueBytes: options.queueBytes, onDeath: options.onDeath });
  const reader = openForReading(file);
  const db = new Kysely<Tables>({ dialect: createDialect(reader, writer) });
  await migrate(db as Kysely<unknown>, sqliteMigrations);
  await writer.openEventLog();
  const events = createEventStore(file, reader, writer, options.onError);
  return {
    db,
    events,
    check: () => {
      reader.prepare('select 1 from migrations limit 1').get();
    },
    waitingBytes: () => writer.waitingBytes,
    [Symbol.asyncDispose]: async () => {
      await writer.close();
      await events.close();
      reader.close();
      lock[Symbol.dispose]();
    },
  };
}

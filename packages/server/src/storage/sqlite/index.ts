import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { Clock } from '../../lib/scheduling/index.ts';
import { shareWithNobody } from '../memory/index.ts';
import { migrate, sqliteMigrations } from '../migrations/index.ts';
import type { Tables } from '../ports/database.ts';
import type { Store } from '../ports/store.ts';
import type { Write } from '../ports/transactions.ts';
import { openForReading } from './connection.ts';
import { createDialect, readFrom } from './dialect.ts';
import { lockDirectory } from './directory-lock.ts';
import { createEventStore } from './event-store.ts';
import { createKnowledgeEngine } from './knowledge/engine.ts';
import { createLeases } from './leases.ts';
import { toSqlite } from './statements.ts';
import { Writer } from './writer/writer.ts';
import type { Statement } from './writer/writer-messages.ts';

export { openAdminDatabase } from './admin-database.ts';
export { backUpDatabase } from './backup.ts';
export { DirectoryInUse } from './directory-lock.ts';

export interface SqliteOptions {
  /** An existing directory; the store holds it alone. */
  readonly directory: string;
  /** Bytes of writes that may wait for the disk before more are refused as overloaded. */
  readonly queueBytes: number;
  /** The writer died, and the process should end. */
  readonly onDeath: (error: Error) => void;
  /** Background work failed; it is tried again later, at the next start at the latest. */
  readonly onError: (error: unknown) => void;
  /** What limits go by; the real time by default. */
  readonly clock?: Clock;
}

export interface SqliteStore extends Store {
  check(): void;
  /** Bytes of writes that are not on disk yet. */
  waitingBytes(): number;
}

/**
 * Opens the embedded store in a directory and brings its schema up to date. Throws `DirectoryInUse`
 * when another process has it, `NewerSchema` when a newer release wrote it.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  await using opened = new AsyncDisposableStack();
  opened.use(lockDirectory(options.directory));
  const file = join(options.directory, 'gatehouse.db');
  // SQLite gives its other files the same rights. A connection that only reads needs it to exist.
  closeSync(openSync(file, 'a', 0o600));
  const reader = openForReading(file);
  opened.defer(() => reader.close());
  const writer = new Writer({ file, ...options });
  opened.defer(() => writer.close());
  const read = readFrom(reader);
  const db = new Kysely<Tables>({ dialect: createDialect(read, writer) });
  await migrate(db as Kysely<unknown>, sqliteMigrations);
  await writer.openEventLog();
  const events = opened.use(createEventStore(file, reader, writer, options.onError));
  const knowledge = opened.use(createKnowledgeEngine({ file, read, writer }));
  const all = opened.move();
  return {
    db,
    writeTogether: (writes) => writer.atomically(writes.map(toStatement)),
    events,
    knowledge,
    shared: shareWithNobody(options.clock ?? Date.now),
    leases: createLeases(),
    // No other process can have the store open.
    hints: { publish: () => {}, subscribe: () => {} },
    isAlone: true,
    check: () => {
      reader.prepare('select 1 from migrations limit 1').get();
    },
    waitingBytes: () => writer.waitingBytes,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function toStatement(write: Write): Statement {
  const { sql, parameters } = write.compile();
  return { sql, parameters: toSqlite(parameters) };
}

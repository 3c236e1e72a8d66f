import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { NO_READ_LIMITS } from '../../lib/threads/index.ts';
import { migrate, sqliteMigrations } from '../migrations/index.ts';
import type { Tables } from '../ports/database.ts';
import { queryLog, type Store, type StoreOptions, UnusableDatabase } from '../ports/store.ts';
import type { Write, WriteAtomically, WriteIf } from '../ports/transactions.ts';
import { createMemoryShared } from '../single-process/index.ts';
import { openForReading } from './connection.ts';
import { describeStore } from './describe-store.ts';
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
export { DirectoryInUse, existingDatabase } from './directory-lock.ts';

// https://www.sqlite.org/fileformat.html#the_database_header
const MAGIC = 'SQLite format 3\0';
const PAGE_SIZE_START = 16;
const PAGE_SIZE_END = 18;
const SMALLEST_PAGE = 512;

export interface SqliteOptions extends StoreOptions {
  /** Existing directory. The store locks it. */
  readonly directory: string;
  readonly onDeath: (error: Error) => void;
}

export interface SqliteStore extends Store {
  check(): void;
  waitingBytes(): number;
}

/**
 * Opens the SQLite store of a directory and migrates its schema. Throws `DirectoryInUse` if another process uses the
 * directory, and `NewerSchema` if a newer release wrote the database.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  await using opened = new AsyncDisposableStack();
  opened.use(lockDirectory(options.directory));
  const file = join(options.directory, 'gatehouse.db');
  checkEnd(file);
  // SQLite copies these permissions to its other files. Read-only connections need an existing file.
  closeSync(openSync(file, 'a', 0o600));
  // Closing any descriptor of the file releases the locks of all connections of this process, so this one is closed last.
  const fd = openSync(file, 'r+');
  opened.defer(() => closeSync(fd));
  const reader = openForReading(file);
  opened.defer(() => reader.close());
  const writer = new Writer({ file, fd, ...options });
  opened.defer(() => writer.close());
  const read = readFrom(reader);
  const db = new Kysely<Tables>({
    dialect: createDialect(read, writer),
    ...queryLog(options.onQuery),
  });
  await migrate(db as Kysely<unknown>, sqliteMigrations);
  await writer.openEventLog();
  const events = opened.use(createEventStore(file, reader, writer, options.onError));
  const writeAtomically: WriteAtomically = (writes) => writer.atomically(writes.map(toStatement));
  const writeIf: WriteIf = (condition, writes) =>
    writer.writeIf(toStatement(condition), writes.map(toStatement));
  const knowledge = opened.use(
    createKnowledgeEngine({
      file,
      read,
      writer,
      writeAtomically,
      writeIf,
      limits: options.readLimits ?? NO_READ_LIMITS,
    }),
  );
  const leases = createLeases();
  const clock = options.clock ?? Date.now;
  const all = opened.move();
  return {
    db,
    clock,
    writeAtomically,
    events,
    knowledge,
    shared: createMemoryShared(clock),
    leases,
    hints: { publish: () => {}, subscribe: () => {} },
    queueAudit: (isQueued) => queueAudit(db, isQueued),
    isExclusive: true,
    describe: describeStore({ file, reader, leases, version: options.version }),
    check: () => {
      reader.prepare('select 1 from migrations limit 1').get();
    },
    waitingBytes: () => writer.waitingBytes,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/**
 * Throws `UnusableDatabase` if the end of the last page is missing, because SQLite would read zeros there. While there is a journal, the
 * page may be in the journal.
 */
function checkEnd(file: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const size = sizeOf(file);
  if (size === 0 || sizeOf(`${file}-wal`) > 0 || sizeOf(`${file}-journal`) > 0) return;
  const header = Buffer.alloc(PAGE_SIZE_END);
  const fd = openSync(file, 'r');
  readSync(fd, header, 0, header.length, 0);
  closeSync(fd);
  const stored = header.readUInt16BE(PAGE_SIZE_START);
  const pageSize = stored === 1 ? 65_536 : stored;
  const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (size < SMALLEST_PAGE || (isDatabase && size % pageSize !== 0))
    throw new UnusableDatabase(
      `${file}: is damaged (its end is missing); restore a backup, see docs/operations.md`,
    );
}

/** Triggers make each insertion copy the pages that it changes, so they exist only while entries are queued. */
async function queueAudit(db: Kysely<Tables>, isQueued: boolean): Promise<void> {
  const changes = isQueued
    ? [
        // The creation of a link is queued once, and not again when it is copied to the audit.
        sql`create trigger if not exists audit_entries_queued after insert on audit_entries
          when new.resource_id is not new.id begin
          insert into audit_outbox (id) values (new.id);
        end`,
        sql`create trigger if not exists links_creation_queued after insert on links
          when new.creator_kind is not null begin
          insert into audit_outbox (id) values (new.id);
        end`,
      ]
    : [
        sql`drop trigger if exists audit_entries_queued`,
        sql`drop trigger if exists links_creation_queued`,
      ];
  for (const change of changes) await change.execute(db);
}

function toStatement(write: Write): Statement {
  const { sql, parameters } = write.compile();
  return { sql, parameters: toSqlite(parameters) };
}

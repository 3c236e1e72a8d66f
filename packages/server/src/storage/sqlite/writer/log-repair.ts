import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { syncDirectory } from '../../../lib/files/index.ts';
import { openForReading } from '../connection.ts';
import { bytesOf, isLogComplete, rewrite } from './log-file.ts';
import type { LogIndex, LogState } from './log-index.ts';

/** Number of bytes that an operator command writes again at a time, because a commit of the service waits for their sync. */
const CHUNK_BYTES = 8 * 1024 * 1024;

export interface Log {
  readonly db: DatabaseSync;
  /** The database file. */
  readonly file: string;
  readonly index: LogIndex;
}

/** The operating system dropped a part of the log, so SQLite would read wrong pages. */
export class LostLog extends Error {
  override readonly name = 'LostLog';

  constructor() {
    super(
      'the operating system dropped a part of the write-ahead log after a failed sync. End all other processes that use the database, such as backups, and discard the backups that were running. The next start of the service then recovers the database',
    );
  }
}

/**
 * Writes a log again and forgets which of its pages are copied. Only the process that has locked the directory may call this.
 *
 * @throws {LostLog} also if the disk cannot be written.
 */
export function repairOwnLog(log: Log): void {
  inTransaction(log, (state) => {
    assertComplete(log, state, null);
    if (state.copied > 0) log.index.forgetCopies();
    if (!existsSync(pathOf(log))) return;
    rewrite(pathOf(log));
    syncDirectory(dirname(log.file));
  });
}

/** Writes the log of a running service again, for an operator command. Throws `LostLog` if a part of the log is lost. */
export function repairSharedLog(log: Log): void {
  using repair = new SharedLogRepair(log);
  repair.start();
  repair.finish();
}

/**
 * Writes the log of a running service again, in two steps. The log may be large, for example after a backup, so the service can write during
 * the first step. The second step holds the write lock.
 */
export class SharedLogRepair implements Disposable {
  readonly #log: Log;
  /** Keeps SQLite from overwriting the log. */
  readonly #reader: DatabaseSync;
  /** State of the log at the end of the first step. Its pages are written. */
  #written: LogState | null = null;

  constructor(log: Log) {
    this.#log = log;
    this.#reader = openForReading(log.file);
  }

  /** Writes the pages that are in the log now. */
  start(): void {
    this.#reader.exec('begin');
    this.#reader.prepare('select 1 from sqlite_schema').get();
    const state = inTransaction(this.#log, (current) => current);
    // Either the reader uses the log, or it keeps pages from being copied. While not all pages are copied, SQLite does not overwrite them.
    if (state.copied === state.pages) return;
    assertComplete(this.#log, state, null);
    const end = bytesOf(state);
    for (let at = 0; at < end; at += CHUNK_BYTES)
      rewrite(pathOf(this.#log), at, Math.min(at + CHUNK_BYTES, end));
    this.#written = state;
  }

  /** Writes the pages that were added during the first step. */
  finish(): void {
    inTransaction(this.#log, (state) => {
      const written = this.#written;
      assertComplete(this.#log, state, written);
      if (!existsSync(pathOf(this.#log))) return;
      rewrite(pathOf(this.#log), written === null ? 0 : bytesOf(written), bytesOf(state));
      syncDirectory(dirname(this.#log.file));
    });
  }

  [Symbol.dispose](): void {
    this.#reader.close();
  }
}

/** @param start an earlier state of the log, when it was complete. */
function assertComplete(log: Log, state: LogState, start: LogState | null): void {
  if (state.pages === 0) return;
  if (!existsSync(pathOf(log)) || !isLogComplete(pathOf(log), state, start)) throw new LostLog();
}

/** No process can change the log during the transaction, which changes nothing itself. */
function inTransaction<Result>({ db, index }: Log, work: (state: LogState) => Result): Result {
  db.exec('begin immediate');
  try {
    return work(index.read());
  } finally {
    db.exec('rollback');
  }
}

function pathOf({ file }: Log): string {
  return `${file}-wal`;
}

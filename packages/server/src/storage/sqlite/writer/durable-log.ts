import { closeSync, existsSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { openForReading } from '../connection.ts';
import { isIoError } from '../statements.ts';
import { isLogComplete, rewrite } from './log-file.ts';
import { LogIndex } from './log-index.ts';

/**
 * Size of the write-ahead log from which a checkpoint runs: 1,024 pages, or 8 MiB. Writes wait for the checkpoint. In benchmarks,
 * 32 MiB raised the 99th percentile of append latency from 40 ms to 130 ms, and 2 MiB reduced throughput by 20%.
 */
const CHECKPOINT_PAGES = 1024;
/** Pause after a failed checkpoint, in milliseconds. Until the disk is repaired, each attempt writes the whole log again. */
const RETRY_MS = 1000;

/** The process that has locked the directory. Only this process runs checkpoints, because another would not know of a failure. */
export interface LogOwner {
  /** Descriptor of the database file, which must be closed after all connections. Null: a partial checkpoint is not synced. */
  readonly fd: number | null;
  /** Called when the log is lost. The process must then end without a checkpoint. */
  readonly onLost: (error: Error) => void;
}

/**
 * Ensures that the write-ahead log is on disk before the writer acknowledges anything that depends on it, and that checkpoints bring all
 * of it into the database. Normally, the sync of a commit and the sync of a checkpoint ensure this. There are three exceptions:
 *
 * - The previous process was killed between the write and the sync of a commit. SQLite recovers this commit at start, and a repeated event
 *   would be acknowledged as a duplicate without another sync.
 * - A sync of the log failed, in this process or in the previous one. The operating system may regard the pages as written, and then no
 *   later sync writes them. If the power failed during the next checkpoint, the log would be incomplete and the database would be half
 *   changed.
 * - A sync of the database failed in a checkpoint. SQLite copies the pages again, except those of an earlier checkpoint that a
 *   reader had kept from copying the whole log: that checkpoint did not sync, and SQLite counts its pages as copied. The log could
 *   then be overwritten although these pages are on no disk.
 *
 * In all cases, the owner of the log sets the number of copied pages to zero, and the same bytes of the log are written again and synced.
 * The bytes come from the cache of the operating system, so they are verified before. If some were dropped, as Btrfs does after a failed
 * sync, the log is lost: SQLite would read wrong pages. Then the process must end, and the next one recovers the pages before the gap.
 * Nothing after the gap was acknowledged.
 */
export class DurableLog {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #owner: LogOwner | null;
  readonly #index: LogIndex;
  /** Returns the number of pages in the log, and how many of them are copied, without a checkpoint. */
  readonly #count: StatementSync;
  #isDurable = false;
  #retryAt = 0;

  /**
   * @param file the database file. Not a symbolic link, because SQLite creates its other files beside the target.
   * @param owner null in an operator command, which writes while the service owns the log.
   */
  constructor(db: DatabaseSync, file: string, owner: LogOwner | null) {
    this.#db = db;
    this.#file = file;
    this.#owner = owner;
    this.#index = new LogIndex(`${file}-shm`);
    this.#count = db.prepare('pragma wal_checkpoint(noop)');
  }

  /** Must be called with the error of each failed transaction. */
  failed(error: unknown): void {
    if (isIoError(error)) this.#isDurable = false;
  }

  /** Throws if the log cannot be made durable yet. Must be called before each transaction, outside a transaction. */
  ensure(): void {
    if (this.#isDurable) return;
    // Another process, such as an operator command, cannot change the log until the transaction ends.
    this.#db.exec('begin immediate');
    try {
      this.#verify();
      const log = `${this.#file}-wal`;
      if (existsSync(log)) {
        rewrite(log);
        syncDirectory(dirname(log));
      }
    } catch (error) {
      throw new StorageUnavailable('unwritable', { cause: error });
    } finally {
      this.#db.exec('rollback');
    }
    if (this.#owner !== null && this.#pages().copied !== 0)
      throw new StorageUnavailable('unwritable', {
        cause: new Error('the index of the write-ahead log cannot be changed; restart the service'),
      });
    this.#isDurable = true;
  }

  /**
   * Like `ensure`, but does nothing in a transaction, and leaves an error to the next transaction. After a failed sync, readers may get
   * wrong pages until this succeeds.
   */
  tryToEnsure(): void {
    if (this.#db.isTransaction) return;
    try {
      this.ensure();
    } catch {
      // The next transaction tries again and reports the error.
    }
  }

  /**
   * Copies the log to the database if the log is large. Does nothing in a transaction, and for a second after a failure.
   *
   * @returns `true` if the checkpoint ran.
   * @throws if the checkpoint failed.
   */
  checkpoint(): boolean {
    if (this.#owner === null || this.#db.isTransaction) return false;
    if (this.#pages().all < CHECKPOINT_PAGES || performance.now() < this.#retryAt) return false;
    try {
      this.#run('passive');
      return true;
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      throw error;
    }
  }

  /**
   * Copies the log to the database and truncates the log. Returns `false` if a reader needs the log for longer than the busy timeout.
   * Throws if the checkpoint fails.
   */
  truncate(): boolean {
    return this.#run('truncate');
  }

  /** Closes the database. If the log cannot be copied safely, the next start recovers it. */
  close(): void {
    try {
      if (this.#owner !== null) this.truncate();
      this.#db.close();
    } catch {
      // When SQLite closes the last connection, it would run a checkpoint that does not ensure anything.
      const other = openForReading(this.#file);
      other.prepare('select 1 from sqlite_schema').get();
      this.#db.close();
      other.close();
    }
  }

  #run(mode: 'passive' | 'truncate'): boolean {
    this.ensure();
    const { copied } = this.#pages();
    let isComplete = false;
    try {
      isComplete = this.#db.prepare(`pragma wal_checkpoint(${mode})`).get()?.['busy'] === 0;
    } catch (error) {
      this.failed(error);
      this.tryToEnsure();
      throw error;
    }
    this.#syncPart(copied);
    return isComplete;
  }

  /** SQLite does not sync the database if a reader kept the checkpoint from copying the whole log. */
  #syncPart(copiedBefore: number): void {
    const { all, copied } = this.#pages();
    const fd = this.#owner?.fd ?? null;
    if (fd === null || copied === copiedBefore || copied === all) return;
    try {
      fdatasyncSync(fd);
    } catch (error) {
      this.#isDurable = false;
      this.tryToEnsure();
      throw error;
    }
  }

  /**
   * Verifies the log and, for its owner, forgets which pages are copied. Must be called in a transaction. Writes nothing to the disk, so
   * that a lost log is found even if the disk cannot be written.
   */
  #verify(): void {
    const state = this.#index.read();
    const log = `${this.#file}-wal`;
    if (state.pages > 0 && !(existsSync(log) && isLogComplete(log, state))) {
      const lost = new LostLog();
      this.#owner?.onLost(lost);
      throw lost;
    }
    if (this.#owner !== null && state.copied > 0) this.#index.forgetCopies();
  }

  #pages(): { readonly all: number; readonly copied: number } {
    const { log, checkpointed } = this.#count.get() ?? {};
    return { all: Number(log), copied: Number(checkpointed) };
  }
}

class LostLog extends Error {
  override readonly name = 'LostLog';

  constructor() {
    super(
      'the operating system dropped a part of the write-ahead log after a failed sync. End all other processes that use the database, such as backups, and discard the backups that were running. The next start of the service then recovers the database',
    );
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

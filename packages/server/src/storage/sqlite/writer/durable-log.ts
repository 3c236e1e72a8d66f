import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { isIoError } from '../statements.ts';
import { rewriteLog } from './rewrite-log.ts';

/**
 * Size of the write-ahead log from which a checkpoint runs: 1,024 pages, or 8 MiB. Writes wait for the checkpoint. In benchmarks,
 * 32 MiB raised the 99th percentile of append latency from 40 ms to 130 ms, and 2 MiB reduced throughput by 20%.
 */
const CHECKPOINT_PAGES = 1024;
/** Pause after a failed checkpoint, in milliseconds. Until the disk is repaired, each attempt writes the whole log again. */
const RETRY_MS = 1000;
/** Place of `nBackfill` in the index of the log. https://www.sqlite.org/walformat.html#the_wal_index_file_format */
const BACKFILL_OFFSET = 96;

/**
 * Ensures that the write-ahead log is on disk before the writer acknowledges anything that depends on it, and that a checkpoint brings all
 * of it into the database. A commit syncs the log, but there are three exceptions:
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
 * In all cases, the same bytes of the log are written again and synced, and the number of copied pages is set to zero. The bytes come
 * from the cache of the operating system. If it has dropped some of them, as Btrfs does after a failed sync, the log is lost: SQLite
 * would read wrong pages. Then the process must end, and the next one recovers the pages before the gap. Nothing after the gap was
 * acknowledged.
 */
export class DurableLog {
  readonly #db: DatabaseSync;
  readonly #file: string;
  /** Returns the number of pages in the log, and how many of them are copied, without a checkpoint. */
  readonly #read: StatementSync;
  readonly #onLost: (error: Error) => void;
  #isDurable = false;
  #retryAt = 0;
  /** Descriptor of the index. Closing it would release the locks that SQLite has on the index, so it stays open. */
  #index: number | null = null;

  /**
   * @param file the database file.
   * @param onLost called when the log is lost. The process must then end without a checkpoint.
   */
  constructor(db: DatabaseSync, file: string, onLost: (error: Error) => void) {
    this.#onLost = onLost;
    this.#db = db;
    this.#file = file;
    this.#read = db.prepare('pragma wal_checkpoint(noop)');
  }

  /** Must be called with the error of each failed transaction. */
  failed(error: unknown): void {
    if (isIoError(error)) this.#isDurable = false;
  }

  /** Throws if the log cannot be made durable yet. Must be called before each transaction, outside a transaction. */
  ensure(): void {
    if (this.#isDurable) return;
    const { all, copied } = this.#pages();
    // Another process, such as an operator command, cannot change the log until the transaction ends.
    this.#db.exec('begin immediate');
    try {
      this.#rewrite(all);
      if (copied > 0) this.#forgetCopies();
    } catch (error) {
      if (error instanceof LostLog) this.#onLost(error);
      throw new StorageUnavailable('unwritable', { cause: error });
    } finally {
      this.#db.exec('rollback');
    }
    if (copied > 0 && this.#pages().copied > 0)
      throw new StorageUnavailable('unwritable', {
        cause: new Error('the index of the write-ahead log cannot be changed; restart the service'),
      });
    this.#isDurable = true;
  }

  /**
   * Copies the log to the database if the log is large. Does nothing in a transaction, and for a second after a failure. Only
   * one process may run checkpoints, because another would not know of a failure. Throws if the checkpoint fails.
   */
  checkpoint(): void {
    if (this.#db.isTransaction || this.#pages().all < CHECKPOINT_PAGES) return;
    if (performance.now() < this.#retryAt) return;
    try {
      this.#run('passive');
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

  #run(mode: 'passive' | 'truncate'): boolean {
    this.ensure();
    try {
      return this.#db.prepare(`pragma wal_checkpoint(${mode})`).get()?.['busy'] === 0;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  /** @param all number of pages in the log. */
  #rewrite(all: number): void {
    const file = `${this.#file}-wal`;
    if (!existsSync(file)) return;
    const complete = rewriteLog(file);
    syncDirectory(dirname(file));
    if (complete < all) throw new LostLog(`only ${complete} of ${all} pages are left`);
  }

  #pages(): { readonly all: number; readonly copied: number } {
    const { log, checkpointed } = this.#read.get() ?? {};
    return { all: Number(log), copied: Number(checkpointed) };
  }

  /**
   * Sets the number of copied pages to zero, as SQLite does at a recovery. Readers of the database see the change in shared memory.
   * They keep what they have read so far, and find the newest version of each page in the log.
   */
  #forgetCopies(): void {
    this.#index ??= openSync(`${this.#file}-shm`, 'r+');
    writeSync(this.#index, Buffer.alloc(4), 0, 4, BACKFILL_OFFSET);
  }
}

class LostLog extends Error {
  override readonly name = 'LostLog';

  constructor(detail: string) {
    super(
      `after a failed sync, the operating system dropped a part of the write-ahead log (${detail}); the next start recovers the database`,
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

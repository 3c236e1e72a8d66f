import { fdatasyncSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { LOG_FILE_BYTES, openForReading } from '../connection.ts';
import { isIoError } from '../statements.ts';
import { copyLog } from './copy-log.ts';
import { LogIndex } from './log-index.ts';
import { LostLog, repairOwnLog, repairSharedLog } from './log-repair.ts';

/**
 * Size of the write-ahead log from which a checkpoint runs, if a commit takes up to a millisecond: 256 pages, or 2 MiB. Writes wait for the
 * checkpoint, which takes 3 ms on a fast disk. On a disk with slow commits, the size grows with the time of a commit up to 8 MiB, because a
 * checkpoint syncs twice.
 */
const CHECKPOINT_PAGES = 256;
const MAX_CHECKPOINT_PAGES = 1024;
/**
 * Number of uncopied pages from which another thread copies them: 32 MiB. The log grows to this size while a reader uses an old snapshot,
 * such as a backup, or in a large transaction. Copying 32 MiB takes about 0.1 s.
 */
const MAX_PAGES_AT_ONCE = 4096;
/** Pause after a failed checkpoint, in milliseconds. Until the disk is repaired, each attempt writes the whole log again. */
const RETRY_MS = 1000;
/** Pause after a checkpoint in another thread that could not copy anything because of a reader, in milliseconds. */
const READER_PAUSE_MS = 5000;
/** Number of bytes by which the file of a very large log is shortened at once. Removing a gigabyte takes 0.3 s. */
const SHORTENED_BYTES = 128 * 1024 * 1024;

/** The process that has locked the directory. Only this process runs checkpoints, because another would not know of a failure. */
export interface LogOwner {
  /** Descriptor of the database file, which must be closed after all connections. Null: a partial checkpoint is not synced. */
  readonly fd: number | null;
  /** Called when the log is lost. The process must then end without a checkpoint. */
  readonly onLost: (error: Error) => void;
  /** Called when a checkpoint in another thread has ended, with its error or null. */
  readonly onCopied?: (error: unknown) => void;
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
  #isCopying = false;
  #mayCopy = true;
  /** From this number of uncopied pages on, the writer copies them itself, because another thread failed or was too slow. */
  #maxUncopied = Number.POSITIVE_INFINITY;
  #retryAt = 0;
  #fileBytes = LOG_FILE_BYTES;

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

  /**
   * Another thread is copying the log. Until it has ended, each commit must be synced, so that the thread copies only pages that are on
   * disk, and the database cannot be closed.
   */
  get isCopying(): boolean {
    return this.#isCopying;
  }

  /** Number of pages in the log. */
  get pages(): number {
    return this.#pages().all;
  }

  /** From now on, no other thread copies the log. Must be called before the database is closed, while `isCopying` is `false`. */
  stopCopying(): void {
    this.#mayCopy = false;
  }

  /** Must be called with the error of each failed transaction. */
  failed(error: unknown): void {
    if (isIoError(error)) this.#isDurable = false;
  }

  /** Throws if the log cannot be made durable yet. Must be called before each transaction, outside a transaction. */
  ensure(): void {
    if (this.#isDurable) return;
    if (this.#isCopying)
      throw new StorageUnavailable('unwritable', {
        cause: new Error('the disk failed during a checkpoint, which has not ended yet'),
      });
    try {
      this.#repair();
    } catch (error) {
      if (error instanceof LostLog) this.#owner?.onLost(error);
      throw new StorageUnavailable('unwritable', { cause: error });
    }
    if (this.#owner !== null && this.#pages().copied !== 0)
      throw new StorageUnavailable('unwritable', {
        cause: new Error('the index of the write-ahead log cannot be changed; restart the service'),
      });
    this.#isDurable = true;
  }

  #repair(): void {
    const log = { db: this.#db, file: this.#file, index: this.#index };
    if (this.#owner === null) repairSharedLog(log);
    else repairOwnLog(log);
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
   * Copies the log to the database if the log is large. If it is very large, another thread copies it. Does nothing in a transaction, and for
   * a second after a failure.
   *
   * @param commitMs usual time of a commit in milliseconds. Omitted: not known, so the log may have 8 MiB.
   * @returns `true` if the checkpoint ran and has ended.
   * @throws if the checkpoint failed.
   */
  checkpoint(commitMs = Number.POSITIVE_INFINITY): boolean {
    if (this.#owner === null || this.#isCopying || this.#db.isTransaction) return false;
    const due = Math.min(MAX_CHECKPOINT_PAGES, CHECKPOINT_PAGES * Math.max(1, commitMs));
    if (this.#pages().all < due || performance.now() < this.#retryAt) return false;
    try {
      if (this.#copyBeside()) return false;
      this.#run('passive');
      return true;
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      throw error;
    }
  }

  /**
   * Copies the log to the database and truncates the log. Returns `false` if a reader needs the log for longer than the busy timeout, or if
   * the log is so large that another thread has to copy it first. Throws if the checkpoint fails.
   */
  truncate(): boolean {
    return !this.#isCopying && !this.#copyBeside() && this.#run('truncate');
  }

  /** Closes the database. If the log cannot be copied safely, the next start recovers it. */
  close(): void {
    try {
      if (this.#owner !== null) this.#run('truncate');
      this.#db.close();
    } catch {
      // When SQLite closes the last connection, it would run a checkpoint that does not ensure anything.
      const other = openForReading(this.#file);
      other.prepare('select 1 from sqlite_schema').get();
      this.#db.close();
      other.close();
    }
  }

  /** Lets another thread copy the log if it is very large. Returns `false` if the writer may copy it itself. */
  #copyBeside(): boolean {
    const fd = this.#owner?.fd ?? null;
    const { all, copied } = this.#pages();
    const uncopied = all - copied;
    if (fd === null || !this.#mayCopy || uncopied < MAX_PAGES_AT_ONCE) return false;
    if (performance.now() < this.#retryAt) return true;
    if (uncopied >= this.#maxUncopied) {
      this.#maxUncopied = Number.POSITIVE_INFINITY;
      return false;
    }
    this.ensure();
    this.#syncLog();
    this.#shortenFile();
    this.#isCopying = true;
    void this.#copy(fd, copied, uncopied);
    return true;
  }

  /**
   * Syncs the log by a commit that changes nothing. Commits of maintenance are not synced, and the other thread must not copy pages to the
   * database before they are on disk in the log. A sync of another descriptor might not report an earlier failure.
   */
  #syncLog(): void {
    this.#db.exec('begin immediate');
    try {
      const { user_version } = this.#db.prepare('pragma user_version').get() ?? {};
      this.#db.exec(`pragma user_version = ${Number(user_version)}; commit`);
    } catch (error) {
      this.failed(error);
      if (this.#db.isTransaction) this.#db.exec('rollback');
      this.tryToEnsure();
      throw error;
    }
  }

  async #copy(fd: number, copiedBefore: number, uncopied: number): Promise<void> {
    let failure: unknown = null;
    try {
      const copied = await copyLog({ file: this.#file, fd, indexFd: this.#index.fd });
      if (copied > copiedBefore) this.#maxUncopied = uncopied;
      else this.#retryAt = performance.now() + READER_PAUSE_MS;
    } catch (error) {
      failure = error;
      this.#isDurable = false;
      this.#maxUncopied = 0;
      this.#retryAt = performance.now() + RETRY_MS;
    }
    this.#isCopying = false;
    this.#owner?.onCopied?.(failure);
  }

  #run(mode: 'passive' | 'truncate'): boolean {
    this.ensure();
    this.#shortenFile();
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

  /** Sets the size to which SQLite shortens the file of the log when it starts to overwrite the log after this checkpoint. */
  #shortenFile(): void {
    const { size = 0 } = statSync(`${this.#file}-wal`, { throwIfNoEntry: false }) ?? {};
    const bytes = Math.max(LOG_FILE_BYTES, size - SHORTENED_BYTES);
    if (bytes === this.#fileBytes) return;
    this.#db.exec(`pragma journal_size_limit = ${bytes}`);
    this.#fileBytes = bytes;
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

  #pages(): { readonly all: number; readonly copied: number } {
    const { log, checkpointed } = this.#count.get() ?? {};
    return { all: Number(log), copied: Number(checkpointed) };
  }
}

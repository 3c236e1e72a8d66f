import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BUSY_MS } from '../connection.ts';
import type { DurableLog } from './durable-log.ts';
import { overwriteUnusedAreas } from './unused-areas.ts';

/** Delay between the deletion of content and the overwriting, in milliseconds. Deletions of this time share a pass. */
const DELAY_MS = 2000;
/** First and longest delay before a step is retried, in milliseconds. A backup or a copy may read for minutes. */
const RETRY_MS = 100;
const MAX_RETRY_MS = 5000;
/** Maximum wait for readers of an older snapshot, in milliseconds. Writes wait as well. */
const MAX_CHECKPOINT_WAIT_MS = 50;
/** Maximum time for which a step overwrites, in milliseconds. Writes wait for it. */
const STEP_MS = 8;
/** Pause after a step, as a multiple of its duration, and the minimum in milliseconds. */
const STEP_PAUSE_FACTOR = 4;
const MIN_STEP_PAUSE_MS = 32;
/** Maximum time for which a pass delays the stop of the service, in milliseconds. */
const STOP_WITHIN_MS = 2000;
/** Minimum pause between two passes, as a multiple of the duration of the earlier pass. Limits the load in large databases. */
const PAUSE_FACTOR = 9;

/** Statements that remove content. The write-ahead log and unused areas of pages may still contain it. */
const REMOVES_CONTENT =
  /^\s*(?:delete\s+from|update\s+"?(?:event_batches|messages|links|documents)\b)/i;

export interface OverwritingOptions {
  readonly db: DatabaseSync;
  readonly file: string;
  /** Descriptor of the database file; see `overwriteUnusedAreas`. */
  readonly fd: number;
  readonly log: Pick<DurableLog, 'truncate' | 'failed'>;
}

/**
 * Overwrites deleted content that `secure_delete` does not reach: earlier versions of pages in the write-ahead log, and copies of
 * rows in the unused areas of pages. A pass truncates the log and then overwrites the unused areas of all pages in short steps.
 * Each step needs an empty log, so it truncates the log again if there were writes.
 *
 *   idle ──content was deleted──▶ due ──delay──▶ pass ──all pages done──▶ idle
 *   pass ──content was deleted──▶ another pass is due afterwards
 *   pass ──a reader uses an older snapshot, or a transaction is open──▶ the step is retried
 *
 * The transaction that deletes content sets `user_version` to 1, and the end of a pass resets it. After a crash, the next start
 * begins a pass.
 */
export class Overwriting {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #fd: number;
  readonly #log: OverwritingOptions['log'];
  readonly #readMark: StatementSync;
  #timer: NodeJS.Timeout | null = null;
  /** Next page of the running pass. Null if no pass is running. */
  #page: number | null = null;
  /** A step failed, perhaps its sync, and no pass has been completed since then. */
  #hasFailed = false;
  #isDueAgain = false;
  #retryMs = RETRY_MS;
  #startedAt = 0;

  constructor({ db, file, fd, log }: OverwritingOptions) {
    this.#db = db;
    this.#file = file;
    this.#fd = fd;
    this.#log = log;
    this.#readMark = db.prepare('pragma user_version');
  }

  /** Schedules the pass that an earlier process did not finish. */
  start(): void {
    if (this.#isMarked) this.#schedule(0);
  }

  /** Schedules a pass if the statement removes content. Must be called in the transaction of the statement. */
  note(sql: string): void {
    if (!REMOVES_CONTENT.test(sql)) return;
    if (!this.#isMarked) this.#db.exec('pragma user_version = 1');
    this.#schedule(DELAY_MS);
  }

  /** Ends a due or running pass within `STOP_WITHIN_MS`, or leaves it to the next start. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const end = performance.now() + STOP_WITHIN_MS;
    if (this.#isDueAgain) this.#page = null;
    while (this.#isMarked && performance.now() < end) {
      this.#isDueAgain = false;
      if (this.#step() === 'retry') break;
    }
    this.#page = null;
  }

  get #isMarked(): boolean {
    return this.#readMark.get()?.['user_version'] !== 0;
  }

  #schedule(delayMs: number): void {
    if (this.#page !== null) this.#isDueAgain = true;
    else if (this.#timer === null) this.#wait(delayMs);
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (!this.#db.isOpen) return;
      const start = performance.now();
      const outcome = this.#step();
      const pauseMs = Math.max(MIN_STEP_PAUSE_MS, STEP_PAUSE_FACTOR * (performance.now() - start));
      if (outcome === 'retry') this.#wait(this.#nextRetryMs());
      else this.#retryMs = RETRY_MS;
      if (outcome === 'more') this.#wait(pauseMs);
      else if (outcome === 'done' && this.#isDueAgain) {
        this.#isDueAgain = false;
        this.#wait(Math.max(DELAY_MS, PAUSE_FACTOR * (performance.now() - this.#startedAt)));
      }
    }, delayMs);
  }

  #nextRetryMs(): number {
    const delayMs = this.#retryMs;
    this.#retryMs = Math.min(MAX_RETRY_MS, 2 * delayMs);
    return delayMs;
  }

  #step(): 'done' | 'more' | 'retry' {
    if (this.#page === null) {
      this.#page = 0;
      this.#startedAt = performance.now();
    }
    try {
      if (!this.#truncateLog()) return 'retry';
      if (!this.#overwrite()) return 'more';
      this.#page = null;
      this.#hasFailed = false;
      if (!this.#isDueAgain) this.#db.exec('pragma user_version = 0');
      return 'done';
    } catch (error) {
      // The disk may be full. Requests report an unwritable disk themselves.
      this.#log.failed(error);
      this.#hasFailed = true;
      return 'retry';
    }
  }

  /** Returns `false` if the log could not be truncated yet. */
  #truncateLog(): boolean {
    const db = this.#db;
    if (db.isTransaction) return false;
    try {
      db.exec(`pragma busy_timeout = ${MAX_CHECKPOINT_WAIT_MS}`);
      return this.#log.truncate();
    } finally {
      db.exec(`pragma busy_timeout = ${BUSY_MS}`);
    }
  }

  /** Overwrites unused areas for some milliseconds. Returns `true` after the last page. */
  #overwrite(): boolean {
    const db = this.#db;
    // Another process, such as an operator command, can write only before this lock is acquired.
    db.exec('begin immediate');
    try {
      const { size } = statSync(`${this.#file}-wal`);
      if (size > 0 || numberOf(db, 'auto_vacuum') !== 0) return size === 0;
      const pages = numberOf(db, 'page_count');
      const end = performance.now() + STEP_MS;
      this.#page = overwriteUnusedAreas({
        fd: this.#fd,
        pageSize: numberOf(db, 'page_size'),
        from: this.#page ?? 0,
        pages,
        writesAgain: this.#hasFailed,
        isOver: () => performance.now() >= end,
      });
      return this.#page >= pages;
    } finally {
      db.exec('rollback');
      // Cached pages still contain the old bytes and would write them again.
      db.exec('pragma shrink_memory');
    }
  }
}

function numberOf(db: DatabaseSync, pragma: string): number {
  return Number(Object.values(db.prepare(`pragma ${pragma}`).get() ?? {})[0]);
}

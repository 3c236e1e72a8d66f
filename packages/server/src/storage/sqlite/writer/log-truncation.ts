import type { DatabaseSync } from 'node:sqlite';
import { BUSY_MS } from '../connection.ts';

/** Delay between the deletion of content and the truncation, in milliseconds. Deletions of this time share a truncation. */
const DELAY_MS = 2000;
const RETRY_MS = 500;
/** Maximum wait for readers of an older snapshot, in milliseconds. Writes wait as well. */
const PATIENCE_MS = 50;

/** Statements that remove content which the write-ahead log may still contain. */
const REMOVES_CONTENT =
  /^\s*(?:delete\s+from|update\s+"?(?:event_batches|messages|links|documents)\b)/i;

/**
 * Truncates the write-ahead log after content was deleted. `secure_delete` overwrites deleted content in the database, but the
 * log still contains earlier versions of the pages. A checkpoint alone leaves them in the file until later writes replace them.
 *
 *   idle ──content was deleted, or the store was opened──▶ due ──log truncated──▶ idle
 *   due ──a reader uses an older snapshot, or a transaction is open──▶ due, retried after half a second
 */
export class LogTruncation {
  readonly #db: DatabaseSync;
  #timer: NodeJS.Timeout | null = null;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Schedules a truncation if the statement removes content. */
  note(sql: string): void {
    if (this.#timer === null && REMOVES_CONTENT.test(sql)) this.schedule(DELAY_MS);
  }

  schedule(delayMs: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (!this.#truncate()) this.schedule(RETRY_MS);
    }, delayMs);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Returns `false` if the log could not be truncated yet. */
  #truncate(): boolean {
    const db = this.#db;
    if (!db.isOpen) return true;
    if (db.isTransaction) return false;
    try {
      db.exec(`pragma busy_timeout = ${PATIENCE_MS}`);
      return db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0;
    } catch {
      // The disk may be full. Requests report an unwritable disk themselves.
      return false;
    } finally {
      db.exec(`pragma busy_timeout = ${BUSY_MS}`);
    }
  }
}

import type { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { isIoError } from '../statements.ts';

/**
 * Ensures that the write-ahead log is on disk before the writer acknowledges anything that depends on it. A commit syncs the log, but
 * two states are not synced:
 *
 * - unknown: the previous process was killed between the write and the sync of a commit. SQLite recovers this commit at start, and
 *   a repeated event would be acknowledged as a duplicate without another sync.
 * - failed: a sync failed. The operating system may regard the pages as written, and then no later sync writes them.
 *
 * A checkpoint ends both states, because it syncs the log and copies its pages to the database.
 */
export class DurableLog {
  readonly #db: DatabaseSync;
  #state: 'unknown' | 'failed' | 'durable' = 'unknown';

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Must be called with the error of each failed transaction. */
  failed(error: unknown): void {
    if (isIoError(error)) this.#state = 'failed';
  }

  /** Throws if the log cannot be made durable yet. Must be called outside a transaction. */
  ensure(): void {
    if (this.#state === 'durable') return;
    const result = this.#db.prepare('pragma wal_checkpoint(passive)').get();
    if (result?.['busy'] !== 0) throw delayed('another process is running a checkpoint');
    // In the state `unknown`, the sync of the log suffices. A reader may delay the rest of the checkpoint.
    if (this.#state === 'failed' && result['log'] !== result['checkpointed'])
      throw delayed('a sync failed, and a reader delays the checkpoint that repeats it');
    this.#state = 'durable';
  }
}

function delayed(reason: string): StorageUnavailable {
  return new StorageUnavailable('unwritable', { cause: new Error(reason) });
}

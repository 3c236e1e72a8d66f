import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { isIoError } from '../statements.ts';

/** Bytes that are rewritten at once. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Ensures that the write-ahead log is on disk before the writer acknowledges anything that depends on it, and before a checkpoint changes
 * the database. A commit syncs the log, but there are two exceptions:
 *
 * - The previous process was killed between the write and the sync of a commit. SQLite recovers this commit at start, and a repeated event
 *   would be acknowledged as a duplicate without another sync.
 * - A sync failed, in this process or in the previous one. The operating system may regard the pages as written, and then no later sync
 *   writes them. If the power failed during the next checkpoint, the log would be incomplete and the database would be half changed.
 *
 * In both cases, the same bytes are written again and synced. They come from the cache of the operating system, which must not have dropped
 * them in the meantime.
 */
export class DurableLog {
  readonly #db: DatabaseSync;
  readonly #file: string;
  #isDurable = false;

  /** @param file the database file. */
  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
  }

  /** Must be called with the error of each failed transaction and checkpoint. */
  failed(error: unknown): void {
    if (isIoError(error)) this.#isDurable = false;
  }

  /** Throws if the log cannot be made durable yet. Must be called before each transaction and checkpoint, outside a transaction. */
  ensure(): void {
    if (this.#isDurable) return;
    // Another process, such as an operator command, cannot change the log until the transaction ends.
    this.#db.exec('begin immediate');
    try {
      rewrite(`${this.#file}-wal`);
    } catch (error) {
      throw new StorageUnavailable('unwritable', { cause: error });
    } finally {
      this.#db.exec('rollback');
    }
    this.#isDurable = true;
  }
}

/** Writes the bytes of a file to the same places, and syncs the file and its name. Does nothing if the file does not exist. */
function rewrite(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return;
  const fd = openSync(file, 'r+');
  try {
    const buffer = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
    let at = 0;
    while (at < size) {
      const length = readSync(fd, buffer, 0, buffer.length, at);
      if (length === 0) break;
      for (let written = 0; written < length; )
        written += writeSync(fd, buffer, written, length - written, at + written);
      at += length;
    }
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  syncDirectory(dirname(file));
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

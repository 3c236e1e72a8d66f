import { fdatasyncSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from '../connection.ts';
import { toFailure } from '../statements.ts';
import type { CopyResult, LogToCopy } from './copy-log.ts';
import { LogIndex, type LogState } from './log-index.ts';

/** Maximum wait for a transaction of the writer, in milliseconds. */
const BUSY_MS = 60_000;

parentPort?.postMessage(copy(workerData as LogToCopy));

function copy({ file, fd, indexFd }: LogToCopy): CopyResult {
  try {
    // The writer has another connection, so closing this one does not run another checkpoint.
    const db = openForWriting(file);
    try {
      db.exec(`pragma busy_timeout = ${BUSY_MS}`);
      const { checkpointed } = db.prepare('pragma wal_checkpoint(passive)').get() ?? {};
      syncCopied(db, new LogIndex(`${file}-shm`, indexFd), Number(checkpointed), fd);
      return { ok: true, copied: Number(checkpointed) };
    } finally {
      db.close();
    }
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

/**
 * Syncs the database. SQLite does this only if it has copied the whole log. During the sync, no page is counted as copied: if it fails, some file
 * systems drop the pages, and the writer would read their earlier content from the database.
 */
function syncCopied(db: DatabaseSync, index: LogIndex, copied: number, fd: number): void {
  const before = inTransaction(db, () => {
    const state = index.read();
    // SQLite has synced the database, and may already overwrite the log.
    if (state.copied !== copied || state.copied === state.pages) return null;
    index.forgetCopies();
    return state;
  });
  if (before === null) return;
  fdatasyncSync(fd);
  inTransaction(db, () => {
    if (isSameLog(index.read(), before)) index.setCopied(copied);
  });
}

/** While no page is counted as copied, SQLite does not overwrite the log. */
function isSameLog({ salts, copied }: LogState, before: LogState): boolean {
  return copied === 0 && salts.equals(before.salts);
}

/** Neither the writer nor another process writes during the transaction. */
function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('begin immediate');
  try {
    return work();
  } finally {
    db.exec('rollback');
  }
}

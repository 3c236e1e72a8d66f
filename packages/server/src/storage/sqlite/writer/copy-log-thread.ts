import { fdatasyncSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from '../connection.ts';
import { toFailure } from '../statements.ts';
import type { CopyResult, LogToCopy } from './copy-log.ts';
import { LogIndex, type LogState } from './log-index.ts';

/** Pause between two attempts to begin a transaction, in milliseconds. */
const RETRY_MS = 5;
/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

const port = parentPort;
void copy(workerData as LogToCopy).then((result) => port?.postMessage(result));

async function copy({ file, fd, indexFd }: LogToCopy): Promise<CopyResult> {
  try {
    // The writer has another connection, so closing this one does not run another checkpoint.
    const db = openForWriting(file);
    try {
      db.exec('pragma busy_timeout = 0');
      const { checkpointed } = db.prepare('pragma wal_checkpoint(passive)').get() ?? {};
      await syncCopied(db, new LogIndex(`${file}-shm`, indexFd), Number(checkpointed), fd);
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
async function syncCopied(
  db: DatabaseSync,
  index: LogIndex,
  copied: number,
  fd: number,
): Promise<void> {
  const before = await inTransaction(db, () => {
    const state = index.read();
    // SQLite has synced the database, and may already overwrite the log.
    if (state.copied !== copied || state.copied === state.pages) return null;
    index.forgetCopies();
    return state;
  });
  if (before === null) return;
  fdatasyncSync(fd);
  await inTransaction(db, () => {
    if (isSameLog(index.read(), before)) index.setCopied(copied);
  });
}

/** While no page is counted as copied, SQLite does not overwrite the log. */
function isSameLog({ salts, copied }: LogState, before: LogState): boolean {
  return copied === 0 && salts.equals(before.salts);
}

/** Neither the writer nor another process writes during the transaction. */
async function inTransaction<Result>(db: DatabaseSync, work: () => Result): Promise<Result> {
  await begin(db);
  try {
    return work();
  } finally {
    db.exec('rollback');
  }
}

/**
 * Waits for the end of the writer's transaction, however long it takes. Waits in turns of the event loop, because a simulated thread must
 * not block the others.
 */
async function begin(db: DatabaseSync): Promise<void> {
  for (;;) {
    try {
      db.exec('begin immediate');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    }
    await sleep(RETRY_MS);
  }
}

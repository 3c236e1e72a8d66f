import { fdatasyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from '../connection.ts';
import { toFailure } from '../statements.ts';
import type { CopyResult, LogToCopy } from './copy-log.ts';

parentPort?.postMessage(copy(workerData as LogToCopy));

function copy({ file, fd }: LogToCopy): CopyResult {
  try {
    // The writer has another connection, so closing this one does not run another checkpoint.
    const db = openForWriting(file);
    try {
      const { checkpointed } = db.prepare('pragma wal_checkpoint(passive)').get() ?? {};
      // SQLite does not sync the database if it has not copied the whole log.
      fdatasyncSync(fd);
      return { ok: true, copied: Number(checkpointed) };
    } finally {
      db.close();
    }
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

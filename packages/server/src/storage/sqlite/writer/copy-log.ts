import { Worker } from 'node:worker_threads';
import { type Failure, toError } from '../../../lib/threads/index.ts';

export interface LogToCopy {
  /** The database file. */
  readonly file: string;
  /** Descriptor of the file. */
  readonly fd: number;
  /** Descriptor of the index of the log. */
  readonly indexFd: number;
}

/** Message of the thread when it has ended. */
export type CopyResult =
  /** All pages that are counted as copied are on disk. */
  | { readonly ok: true; readonly copied: number }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Copies the log to the database in another thread, as far as readers permit, while this thread can write. Must not be called while an
 * earlier call is running. If it rejects, the log may have to be written again.
 *
 * @returns number of pages of the log that are copied, by this call or earlier, or -1 if another process runs a checkpoint.
 */
export function copyLog(log: LogToCopy): Promise<number> {
  const worker = new Worker(new URL('./copy-log-thread.ts', import.meta.url), {
    name: 'sqlite-checkpoint',
    workerData: log,
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  worker.on('message', (result: CopyResult) => {
    if (result.ok) resolve(result.copied);
    else reject(toError(result.failure));
  });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread that copies the log ended')));
  return promise;
}

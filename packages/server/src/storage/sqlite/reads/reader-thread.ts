import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { type Step, StorageTooSlow, serveRequests } from '../../../lib/threads/index.ts';
import { openForReading } from '../connection.ts';
import { toFailure } from '../statements.ts';
import { defineFilterFunctions } from './filter-functions.ts';

/** Makes this worker thread read from the database for a `ReadThread`. Call it once per thread. */
export function serveReads<Request, Result>(
  open: (db: DatabaseSync) => (request: Request, step: Step) => Result | Promise<Result>,
): void {
  serveRequests(open(openForReading((workerData as { file: string }).file)), { toFailure });
}

/** Maximum duration of a request whose SQL calls `in_time`. */
const TIME_LIMIT_MS = 2000;

/**
 * Defines the SQL functions of conditions on documents. `in_time(…)` throws `StorageTooSlow` after two seconds. Conditions call it for
 * every row, because a thread cannot interrupt its own SQLite query. The functions of `defineFilterFunctions` have the same time limit.
 *
 * @returns a function that restarts the time limit. Call it before each request.
 */
export function limitTime(db: DatabaseSync): () => void {
  let deadline = 0;
  const checkTime = () => {
    if (performance.now() > deadline) throw new StorageTooSlow();
  };
  db.function('in_time', { varargs: true }, () => {
    checkTime();
    return 1;
  });
  defineFilterFunctions(db, checkTime);
  return () => {
    deadline = performance.now() + TIME_LIMIT_MS;
  };
}

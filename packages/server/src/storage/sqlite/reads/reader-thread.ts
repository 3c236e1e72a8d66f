import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answering, type Step, StorageTooSlow } from '../../../lib/threads/index.ts';
import { openForReading } from '../connection.ts';
import { toFailure } from '../statements.ts';
import { defineFilterFunctions } from './filter-functions.ts';

/** Makes this worker thread answer the questions of an `AskThread` from the database. Call it once per thread. */
export function answerQuestions<Question, Answer>(
  open: (db: DatabaseSync) => (question: Question, step: Step) => Answer | Promise<Answer>,
): void {
  answering(open(openForReading((workerData as { file: string }).file)), { toFailure });
}

/** Maximum duration of a question whose SQL calls `in_time`. */
const TIME_LIMIT_MS = 2000;

/**
 * Defines the SQL functions of conditions on documents. `in_time(…)` throws `StorageTooSlow` after two seconds. Conditions call it for
 * every row, because a thread cannot interrupt its own SQLite query. The functions of `defineFilterFunctions` have the same time limit.
 *
 * @returns a function that restarts the time limit. Call it before each question.
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

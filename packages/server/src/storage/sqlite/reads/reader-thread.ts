import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answering, StorageTooSlow } from '../../../lib/threads/index.ts';
import { openForReading } from '../connection.ts';
import { toFailure } from '../statements.ts';

/** Makes this worker thread answer the questions of an `AskThread` from the database. Call it once per thread. */
export function answerQuestions<Question, Answer>(
  open: (db: DatabaseSync) => (question: Question) => Answer | Promise<Answer>,
): void {
  answering(open(openForReading((workerData as { file: string }).file)), toFailure);
}

/** Maximum duration of a question whose SQL calls `in_time`. */
const TIME_LIMIT_MS = 2000;

/**
 * Defines the SQL function `in_time(…)`, which throws `StorageTooSlow` after two seconds. Conditions call it for every
 * row, because a thread cannot interrupt its own SQLite query.
 *
 * @returns a function that restarts the time limit. Call it before each question.
 */
export function limitTime(db: DatabaseSync): () => void {
  let deadline = 0;
  db.function('in_time', { varargs: true }, () => {
    if (performance.now() > deadline) throw new StorageTooSlow();
    return 1;
  });
  return () => {
    deadline = performance.now() + TIME_LIMIT_MS;
  };
}

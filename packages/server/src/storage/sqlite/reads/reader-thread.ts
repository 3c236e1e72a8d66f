import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answering, StorageTooSlow } from '../../../lib/threads/index.ts';
import { openForReading } from '../connection.ts';
import { toFailure } from '../statements.ts';

/** Makes this thread one that answers an `AskThread` from the store; to be called once. */
export function answerQuestions<Question, Answer>(
  open: (db: DatabaseSync) => (question: Question) => Answer,
): void {
  answering(open(openForReading((workerData as { file: string }).file)), toFailure);
}

/** What one question to a thread may take where its SQL asks for `in_time`. */
const TIME_LIMIT_MS = 2000;

/**
 * Gives a connection `in_time(…)`: SQLite cannot be interrupted from its own thread, but a condition that
 * is asked row by row can fail.
 *
 * @returns begins the time of a question.
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

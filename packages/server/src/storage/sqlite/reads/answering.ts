import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answering } from '../../../lib/threads/index.ts';
import { openForReading } from '../connection.ts';
import { toFailure } from '../failure.ts';

/** Makes this thread one that answers an `AskThread` from the store; to be called once. */
export function answerQuestions<Question, Answer>(
  open: (db: DatabaseSync) => (question: Question) => Answer,
): void {
  answering(open(openForReading((workerData as { file: string }).file)), toFailure);
}

import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadReply } from '../threads/ask-thread.ts';
import { openForReading } from './connection.ts';
import { toFailure } from './failure.ts';

/** Makes this thread one that answers an `AskThread`; to be called once. */
export function answerQuestions<Question, Answer>(
  open: (db: DatabaseSync) => (question: Question) => Answer,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file runs as a worker thread');
  const answer = open(openForReading((workerData as { file: string }).file));
  port.on('message', (question: Question) => {
    port.postMessage(replyTo(answer, question));
  });
}

function replyTo<Question, Answer>(
  answer: (question: Question) => Answer,
  question: Question,
): ThreadReply<Answer> {
  try {
    return { ok: true, answer: answer(question) };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

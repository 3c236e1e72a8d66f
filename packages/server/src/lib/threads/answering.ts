import { parentPort } from 'node:worker_threads';
import type { ThreadReply } from './ask-thread.ts';
import { type Failure, toFailure as failureOf } from './failure.ts';

/**
 * Answers the questions of an `AskThread` in this worker thread. Call it once.
 *
 * @param toFailure converts an error for the transfer to the asking thread.
 */
export function answering<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  toFailure: (error: unknown) => Failure = failureOf,
): void {
  const port = parentPort;
  if (port === null) throw new Error('must run in a worker thread');
  port.on('message', async (question: Question) => {
    port.postMessage(await replyTo(question));
  });

  async function replyTo(question: Question): Promise<ThreadReply<Answer>> {
    try {
      return { ok: true, answer: await answer(question) };
    } catch (error) {
      return { ok: false, failure: toFailure(error) };
    }
  }
}

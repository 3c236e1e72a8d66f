import { parentPort } from 'node:worker_threads';
import type { ThreadReply } from './ask-thread.ts';
import { type Failure, toFailure as failureOf } from './failure.ts';

/**
 * Makes this thread one that answers an `AskThread`; to be called once.
 *
 * @param toFailure what an error is to those who asked.
 */
export function answering<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  toFailure: (error: unknown) => Failure = failureOf,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file runs as a worker thread');
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

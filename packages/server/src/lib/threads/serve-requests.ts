import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './ask-thread.ts';
import { type Failure, toFailure as failureOf } from './failure.ts';
import { type Contention, Step } from './step.ts';

export interface AnsweringOptions {
  readonly toFailure?: (error: unknown) => Failure;
  readonly waits?: boolean;
}

/**
 * Answers the questions of an `AskThread` in this worker thread. Call it once.
 *
 * @param answer answers a question. `null`: the answer is not finished, and the question must be asked again.
 * @param options.toFailure converts an error for the transfer to the asking thread.
 * @param options.waits `true` if the thread waits for a server, so the elapsed time counts. Otherwise its CPU time counts, which does not
 * depend on the load of the machine.
 */
export function answering<Question, Answer>(
  answer: (question: Question, step: Step) => Answer | Promise<Answer>,
  { toFailure = failureOf, waits = false }: AnsweringOptions = {},
): void {
  const port = parentPort;
  if (port === null) throw new Error('must run in a worker thread');
  const { contention = null } = (workerData ?? {}) as { contention?: Contention };
  const unfinished = new Map<number, Question>();
  port.on('message', async (request: ThreadRequest<Question>) => {
    const { kind, id } = request;
    if (kind === 'start') unfinished.set(id, request.question);
    if (kind === 'forget') unfinished.delete(id);
    else port.postMessage(await replyTo(id));
  });

  async function replyTo(id: number): Promise<ThreadReply<Answer>> {
    const question = unfinished.get(id) as Question;
    // Reads from a server take several milliseconds, so shorter steps would make little progress.
    const step = new Step(waits ? null : contention);
    try {
      const cpu = process.threadCpuUsage();
      const result = await answer(question, step);
      if (result !== null && result !== undefined) unfinished.delete(id);
      const { user, system } = process.threadCpuUsage(cpu);
      const ms = waits ? step.ms : (user + system) / 1000;
      return { ok: true, answer: result, ms, isShared: step.isShared };
    } catch (error) {
      unfinished.delete(id);
      return { ok: false, failure: toFailure(error) };
    }
  }
}

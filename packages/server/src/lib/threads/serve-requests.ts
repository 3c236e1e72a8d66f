import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, toFailure as failureOf } from './failure.ts';
import type { ThreadMessage, ThreadReply } from './read-thread.ts';
import { type Contention, Step } from './step.ts';

export interface ServeOptions {
  readonly toFailure?: (error: unknown) => Failure;
  readonly waits?: boolean;
}

/**
 * Serves the requests of a `ReadThread` in this worker thread. Call it once.
 *
 * @param serve returns the result of a request, or `null` if the step ended before the result was complete. The thread calls it again
 *   for the next step.
 * @param options.toFailure converts an error for the transfer to the other thread.
 * @param options.waits `true` if the thread waits for a server, so the elapsed time counts. Otherwise its CPU time counts, which does not
 * depend on the load of the machine.
 */
export function serveRequests<Request, Result>(
  serve: (request: Request, step: Step) => Result | Promise<Result>,
  { toFailure = failureOf, waits = false }: ServeOptions = {},
): void {
  const port = parentPort;
  if (port === null) throw new Error('must run in a worker thread');
  const { contention = null } = (workerData ?? {}) as { contention?: Contention };
  const unfinished = new Map<number, Request>();
  port.on('message', async (message: ThreadMessage<Request>) => {
    const { kind, id } = message;
    if (kind === 'start') unfinished.set(id, message.request);
    if (kind === 'forget') unfinished.delete(id);
    else port.postMessage(await replyTo(id));
  });

  async function replyTo(id: number): Promise<ThreadReply<Result>> {
    const request = unfinished.get(id) as Request;
    // Reads from a server take several milliseconds, so shorter steps would make little progress.
    const step = new Step(waits ? null : contention);
    try {
      const cpu = process.threadCpuUsage();
      const result = await serve(request, step);
      if (result !== null && result !== undefined) unfinished.delete(id);
      const { user, system } = process.threadCpuUsage(cpu);
      const ms = waits ? step.ms : (user + system) / 1000;
      return { ok: true, result, ms, isShared: step.isShared };
    } catch (error) {
      unfinished.delete(id);
      return { ok: false, failure: toFailure(error) };
    }
  }
}

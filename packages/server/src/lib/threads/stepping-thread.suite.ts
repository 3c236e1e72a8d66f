import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from './read-thread.ts';

export interface StepsRequest {
  readonly name: string;
  /** Number of steps of the read. */
  readonly steps: number;
  /** Time that the thread claims to have spent on each step. */
  readonly ms: number;
  readonly isShared?: boolean;
}

const requests = new Map<number, StepsRequest>();
const done = new Map<string, number>();

/** Reads in the requested number of steps. The result is the number of steps. */
parentPort?.on('message', (message: ThreadMessage<StepsRequest>) => {
  if (message.kind === 'forget') return;
  if (message.kind === 'start') requests.set(message.id, message.request);
  const request = requests.get(message.id);
  if (request === undefined) throw new Error('the thread does not know this request');
  const { name, steps, ms, isShared = false } = request;
  const count = (done.get(name) ?? 0) + 1;
  done.set(name, count);
  parentPort?.postMessage({ ok: true, result: count === steps ? count : null, ms, isShared });
});

import { parentPort } from 'node:worker_threads';

export interface StepsQuestion {
  readonly name: string;
  /** Number of steps of the answer. */
  readonly steps: number;
  /** Time that the thread claims to have spent on each step. */
  readonly ms: number;
  readonly isShared?: boolean;
}

const done = new Map<string, number>();

/** Answers in the requested number of steps. The answer is the number of steps. */
parentPort?.on('message', ({ name, steps, ms, isShared = false }: StepsQuestion) => {
  const count = (done.get(name) ?? 0) + 1;
  done.set(name, count);
  parentPort?.postMessage({ ok: true, answer: count === steps ? count : null, ms, isShared });
});

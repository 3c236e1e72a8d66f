import { parentPort } from 'node:worker_threads';
import type { ThreadRequest } from './ask-thread.ts';

export interface StepsQuestion {
  readonly name: string;
  /** Number of steps of the answer. */
  readonly steps: number;
  /** Time that the thread claims to have spent on each step. */
  readonly ms: number;
  readonly isShared?: boolean;
}

const questions = new Map<number, StepsQuestion>();
const done = new Map<string, number>();

/** Answers in the requested number of steps. The answer is the number of steps. */
parentPort?.on('message', (request: ThreadRequest<StepsQuestion>) => {
  if (request.kind === 'forget') return;
  if (request.kind === 'start') questions.set(request.id, request.question);
  const question = questions.get(request.id);
  if (question === undefined) throw new Error('the thread does not know this question');
  const { name, steps, ms, isShared = false } = question;
  const count = (done.get(name) ?? 0) + 1;
  done.set(name, count);
  parentPort?.postMessage({ ok: true, answer: count === steps ? count : null, ms, isShared });
});

import { Worker } from 'node:worker_threads';
import type { Asker, Charge } from '../scheduling/index.ts';
import { type Failure, toError } from './failure.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import type { ReadLimits } from './read-limits.ts';
import type { Contention } from './step.ts';
import { StorageTooSlow } from './storage-errors.ts';

/** A successful reply contains the time that the thread measured: CPU time, or elapsed time if it waited for a server. */
export type ThreadReply<Answer> =
  | ({ readonly ok: true; readonly answer: Answer } & Charge)
  | { readonly ok: false; readonly failure: Failure };

type Reply<Answer> = Extract<ThreadReply<Answer>, { ok: true }>;

/** Maximum time in milliseconds that the steps of an answer may take together, not counting shared work. */
const TIME_LIMIT_MS = 2000;

export interface AskThreadOptions {
  /** File of the thread, which calls `answering`. */
  readonly script: URL;
  readonly name: string;
  /** `workerData` of the thread. */
  readonly database: object;
  readonly limits?: ReadLimits;
}

/**
 * A worker thread for reads that would block the event loop. It starts with the first question and performs one step of an
 * answer at a time. `FairSemaphore` decides whose step is next.
 */
export class AskThread<Question, Answer> {
  readonly #start: () => Worker;
  readonly #scheduler: FairSemaphore;
  #worker: Worker | null = null;
  #current: PromiseWithResolvers<Reply<Answer>> | null = null;
  #closed = false;

  constructor({ script, name, database, limits }: AskThreadOptions) {
    const contention: Contention = new Int32Array(new SharedArrayBuffer(4));
    this.#start = () => new Worker(script, { name, workerData: { ...database, contention } });
    this.#scheduler = new FairSemaphore({
      permits: 1,
      name,
      onContention: (isContended) => Atomics.store(contention, 0, isContended ? 1 : 0),
      ...(limits === undefined ? {} : { limits }),
    });
  }

  /**
   * Asks a question, repeatedly if the thread answers in steps. Rejects with the error of the thread, with `StorageTooSlow` if
   * the steps take longer than two seconds together, and in the cases in which `FairSemaphore.run` rejects.
   */
  ask(question: Question, asker: Asker, signal?: AbortSignal): Promise<NonNullable<Answer>> {
    return this.askOneAfterAnother(question, () => null, asker, signal);
  }

  /**
   * Asks questions that belong together, as the steps of one question. Returns the last answer.
   *
   * @param next returns the question that follows an answer, or `null` after the last answer.
   */
  async askOneAfterAnother(
    first: Question,
    next: (answer: NonNullable<Answer>) => Question | null,
    asker: Asker,
    signal?: AbortSignal,
  ): Promise<NonNullable<Answer>> {
    if (this.#closed) throw new Error('the store is closed');
    let question = first;
    let usedMs = 0;
    const step = async () => {
      if (usedMs > TIME_LIMIT_MS) throw new StorageTooSlow();
      const { answer, ms, isShared } = await this.#put(question);
      if (!isShared) usedMs += ms;
      const following = answer === null || answer === undefined ? question : next(answer);
      const isLast = following === null;
      if (!isLast) question = following;
      return { result: isLast ? (answer ?? null) : null, charge: { ms, isShared } };
    };
    return this.#scheduler.runSteps(asker, step, signal);
  }

  /** Throws if a question of this owner would be rejected immediately. */
  admit(asker: Asker): void {
    this.#scheduler.admit(asker);
  }

  /** Stops the thread. Rejects all unanswered questions. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new Error('the store is closed'));
    await this.#worker?.terminate();
  }

  #put(question: Question): Promise<Reply<Answer>> {
    const current = Promise.withResolvers<Reply<Answer>>();
    if (this.#closed) throw new Error('the store is closed');
    this.#current = current;
    this.#worker ??= this.#run();
    this.#worker.postMessage(question);
    return current.promise;
  }

  #run(): Worker {
    const worker = this.#start();
    worker.on('message', (reply: ThreadReply<Answer>) => {
      const asked = this.#current;
      this.#current = null;
      if (reply.ok) asked?.resolve(reply);
      else asked?.reject(toError(reply.failure));
    });
    // If the thread dies, its question fails. The next question starts a new thread.
    const ended = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#failAll(error);
    };
    worker.on('error', (error) => ended(error as Error));
    worker.on('exit', () => ended(new Error('the reader thread ended')));
    return worker;
  }

  #failAll(error: Error): void {
    this.#scheduler.failAll(error);
    this.#current?.reject(error);
    this.#current = null;
  }
}

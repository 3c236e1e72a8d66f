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

/**
 * A message to the thread. The thread keeps a question until its answer is finished, so the following steps send only the number.
 * A question can contain a large filter.
 */
export type ThreadRequest<Question> =
  | { readonly kind: 'start'; readonly id: number; readonly question: Question }
  | { readonly kind: 'continue'; readonly id: number }
  /** The answer will not be finished. */
  | { readonly kind: 'forget'; readonly id: number };

/** A question and the thread that keeps it. */
interface Asked<Question> {
  readonly id: number;
  readonly question: Question;
  worker: Worker | null;
}

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
  #lastId = 0;

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
    let asked = this.#newAsked(first);
    let usedMs = 0;
    const step = async () => {
      if (usedMs > TIME_LIMIT_MS) throw new StorageTooSlow();
      const { answer, ms, isShared } = await this.#put(asked);
      if (!isShared) usedMs += ms;
      const charge = { ms, isShared };
      if (answer === null || answer === undefined) return { result: null, charge };
      const following = next(answer);
      if (following === null) return { result: answer, charge };
      asked = this.#newAsked(following);
      return { result: null, charge };
    };
    try {
      return await this.#scheduler.runSteps(asker, step, signal);
    } catch (error) {
      this.#forget(asked);
      throw error;
    }
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

  #newAsked(question: Question): Asked<Question> {
    this.#lastId += 1;
    return { id: this.#lastId, question, worker: null };
  }

  #put(asked: Asked<Question>): Promise<Reply<Answer>> {
    const current = Promise.withResolvers<Reply<Answer>>();
    if (this.#closed) throw new Error('the store is closed');
    this.#current = current;
    this.#worker ??= this.#run();
    const { id, question, worker } = asked;
    if (worker === this.#worker) this.#send({ kind: 'continue', id });
    else this.#send({ kind: 'start', id, question });
    asked.worker = this.#worker;
    return current.promise;
  }

  #forget({ id, worker }: Asked<Question>): void {
    if (worker !== null && worker === this.#worker) this.#send({ kind: 'forget', id });
  }

  #send(request: ThreadRequest<Question>): void {
    this.#worker?.postMessage(request);
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

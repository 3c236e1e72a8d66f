import { Worker } from 'node:worker_threads';
import { type Failure, toError } from './failure.ts';
import { FairSemaphore } from './fair-semaphore.ts';

export type ThreadReply<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A thread with a reading connection of its own, for reads that would stop the event loop. It starts
 * with the first question, since many processes never ask one, and answers one at a time, the askers
 * in turn.
 */
export class AskThread<Question, Answer> {
  readonly #start: () => Worker;
  readonly #scheduler = new FairSemaphore(1);
  #worker: Worker | null = null;
  #current: PromiseWithResolvers<Answer> | null = null;
  #closed = false;

  /**
   * @param script the thread's file: it posts one `ThreadReply` for each message that it gets.
   * @param database what it opens, as its `workerData`.
   */
  constructor(script: URL, name: string, database: object) {
    this.#start = () => new Worker(script, { name, workerData: database });
  }

  /** As `FairSemaphore.run` says; what failed in the thread fails here. */
  async ask(question: Question, asker: string, signal?: AbortSignal): Promise<Answer> {
    if (this.#closed) throw new Error('the store is closed');
    return this.#scheduler.run(asker, () => this.#put(question), signal);
  }

  /** Questions that are not answered yet fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new Error('the store is closed'));
    await this.#worker?.terminate();
  }

  #put(question: Question): Promise<Answer> {
    const current = Promise.withResolvers<Answer>();
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
      if (reply.ok) asked?.resolve(reply.answer);
      else asked?.reject(toError(reply.failure));
    });
    // A thread that dies takes its question with it; the next one starts a new thread.
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

import { Worker } from 'node:worker_threads';
import { type Failure, toError } from './failure.ts';
import { FairSemaphore } from './fair-semaphore.ts';

export type ThreadReply<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A worker thread for reads that would block the event loop. It starts with the first question and answers one question at a
 * time. Askers take turns.
 */
export class AskThread<Question, Answer> {
  readonly #start: () => Worker;
  readonly #scheduler = new FairSemaphore(1);
  #worker: Worker | null = null;
  #current: PromiseWithResolvers<Answer> | null = null;
  #closed = false;

  /**
   * @param script file of the thread, which calls `answering`.
   * @param database `workerData` of the thread.
   */
  constructor(script: URL, name: string, database: object) {
    this.#start = () => new Worker(script, { name, workerData: database });
  }

  /**
   * Asks a question. Rejects with the error of the thread. Also rejects in the cases in which `FairSemaphore.run`
   * rejects.
   *
   * @param asker key that takes turns, such as the id of a space.
   */
  async ask(question: Question, asker: string, signal?: AbortSignal): Promise<Answer> {
    if (this.#closed) throw new Error('the store is closed');
    return this.#scheduler.run(asker, () => this.#put(question), signal);
  }

  /** Stops the thread. Rejects all unanswered questions. */
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

import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../background/index.ts';
import { StorageUnavailable } from '../../ports/storage-error.ts';
import { type Failure, toError } from './failure.ts';

export type ThreadReply<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

interface Asked<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question;
}

/** Questions that may wait for one asker. */
const MOST_WAITING = 64;

/**
 * A thread with a reading connection of its own, for reads that would stop the event loop. It starts
 * with the first question, since many processes never ask one, and answers one at a time, the askers
 * in turn.
 */
export class AskThread<Question, Answer> {
  readonly #start: () => Worker;
  readonly #waiting = new FairQueue<Asked<Question, Answer>>();
  #worker: Worker | null = null;
  #current: Asked<Question, Answer> | null = null;
  #closed = false;

  /** @param script the thread's file: it posts one `ThreadReply` for each message that it gets. */
  constructor(script: URL, name: string, file: string) {
    this.#start = () => new Worker(script, { name, workerData: { file } });
  }

  /**
   * @param asker whose question it is, such as a space's id.
   * @param signal aborts when nobody wants the answer any more; a question that still waits then fails with
   * the signal's reason.
   * @throws StorageUnavailable `overloaded` when the asker has too many waiting.
   */
  async ask(question: Question, asker: string, signal?: AbortSignal): Promise<Answer> {
    if (this.#closed) throw new Error('the store is closed');
    signal?.throwIfAborted();
    if (this.#waiting.lengthOf(asker) >= MOST_WAITING) throw new StorageUnavailable('overloaded');
    const asked = { question, ...Promise.withResolvers<Answer>() };
    this.#waiting.add(asker, asked);
    this.#next();
    if (signal === undefined) return asked.promise;
    const giveUp = () => {
      if (this.#waiting.remove(asker, asked)) asked.reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    return asked.promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  /** Questions that are not answered yet fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new Error('the store is closed'));
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== null) return;
    this.#current = this.#waiting.take() ?? null;
    if (this.#current === null) return;
    this.#worker ??= this.#run();
    this.#worker.postMessage(this.#current.question);
  }

  #run(): Worker {
    const worker = this.#start();
    worker.on('message', (reply: ThreadReply<Answer>) => {
      const asked = this.#current;
      this.#current = null;
      if (reply.ok) asked?.resolve(reply.answer);
      else asked?.reject(toError(reply.failure));
      this.#next();
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
    this.#current?.reject(error);
    this.#current = null;
    for (const asked of this.#waiting.takeAll()) asked.reject(error);
  }
}

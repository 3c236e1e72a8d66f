import { Worker } from 'node:worker_threads';
import { type Failure, toError } from './failure.ts';

export type ThreadReply<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A thread with a reading connection of its own, for reads that would stop the event loop. It starts
 * with the first question, since many processes never ask one, and answers in the order of asking.
 */
export class AskThread<Question, Answer> {
  readonly #start: () => Worker;
  #running: RunningThread<Answer> | null = null;
  #closed = false;

  /** @param script the thread's file: it posts one `ThreadReply` for each message that it gets. */
  constructor(script: URL, name: string, file: string) {
    this.#start = () => new Worker(script, { name, workerData: { file } });
  }

  async ask(question: Question): Promise<Answer> {
    if (this.#closed) throw new Error('the store is closed');
    // A thread that died takes its questions with it; the next one starts a new thread.
    if (this.#running === null || this.#running.ended)
      this.#running = new RunningThread(this.#start());
    return this.#running.ask(question);
  }

  /** Questions that are not answered yet fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.close();
  }
}

class RunningThread<Answer> {
  readonly #worker: Worker;
  readonly #asked: PromiseWithResolvers<Answer>[] = [];
  ended = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (reply: ThreadReply<Answer>) => {
      const asked = this.#asked.shift();
      if (reply.ok) asked?.resolve(reply.answer);
      else asked?.reject(toError(reply.failure));
    });
    worker.on('error', (error) => this.#end(error as Error));
    worker.on('exit', () => this.#end(new Error('the reader thread ended')));
  }

  ask(question: unknown): Promise<Answer> {
    const asked = Promise.withResolvers<Answer>();
    this.#worker.postMessage(question);
    this.#asked.push(asked);
    return asked.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #end(error: Error): void {
    this.ended = true;
    for (const asked of this.#asked.splice(0)) asked.reject(error);
  }
}

import { Worker } from 'node:worker_threads';
import type { EventPage, EventQuery } from '../../ports/event-store.ts';
import { toError } from './failure.ts';
import type { ReadReply } from './reader-thread.ts';

/**
 * Reads of the event log in a thread of their own: a page may look at megabytes, which must not stop
 * the event loop. The thread starts with the first read, since many processes only ingest.
 */
export class Reader {
  readonly #file: string;
  #thread: ReaderThread | null = null;
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  async read(query: EventQuery): Promise<EventPage> {
    if (this.#closed) throw new Error('the store is closed');
    // A thread that died takes its reads with it; the next read starts a new one.
    if (this.#thread === null || this.#thread.ended) this.#thread = new ReaderThread(this.#file);
    return this.#thread.read(query);
  }

  /** Reads that are not answered yet fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.close();
  }
}

/** The thread answers in the order of asking. */
class ReaderThread {
  readonly #worker: Worker;
  readonly #asked: PromiseWithResolvers<EventPage>[] = [];
  ended = false;

  constructor(file: string) {
    this.#worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      name: 'sqlite-reader',
      workerData: { file },
    });
    this.#worker.on('message', (reply: ReadReply) => {
      const asked = this.#asked.shift();
      if (reply.ok) asked?.resolve(reply.page);
      else asked?.reject(toError(reply.failure));
    });
    this.#worker.on('error', (error) => this.#end(error as Error));
    this.#worker.on('exit', () => this.#end(new Error('the reader thread ended')));
  }

  read(query: EventQuery): Promise<EventPage> {
    const asked = Promise.withResolvers<EventPage>();
    this.#worker.postMessage(query);
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

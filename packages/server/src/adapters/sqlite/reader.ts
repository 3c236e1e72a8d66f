import { Worker } from 'node:worker_threads';
import type { EventPage, EventQuery } from '../../ports/event-store.ts';
import type { ReadReply } from './reader-thread.ts';

/**
 * Reads of the event log in a thread of their own: a page may look at megabytes, which must not stop
 * the event loop. The thread starts with the first read, since many processes only ingest.
 */
export class Reader {
  readonly #file: string;
  readonly #asked = new Map<number, PromiseWithResolvers<EventPage>>();
  #worker: Worker | null = null;
  #nextId = 1;

  constructor(file: string) {
    this.#file = file;
  }

  read(query: EventQuery): Promise<EventPage> {
    const asked = Promise.withResolvers<EventPage>();
    const id = this.#nextId;
    this.#nextId += 1;
    this.#asked.set(id, asked);
    this.#thread().postMessage({ id, query });
    return asked.promise;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #thread(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      name: 'sqlite-reader',
      workerData: { file: this.#file },
    });
    worker.on('message', (reply: ReadReply) => this.#settle(reply));
    worker.on('error', (error) => this.#fail(error as Error));
    worker.on('exit', () => this.#fail(new Error('the reader thread ended')));
    this.#worker = worker;
    return worker;
  }

  #settle({ id, page, error }: ReadReply): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (page === null) asked?.reject(new Error(error ?? 'no page'));
    else asked?.resolve(page);
  }

  /** The next read starts a new thread. */
  #fail(error: Error): void {
    this.#worker = null;
    for (const asked of this.#asked.values()) asked.reject(error);
    this.#asked.clear();
  }
}

import { Worker } from 'node:worker_threads';
import { StorageUnavailable, toError } from '../../../lib/threads/index.ts';
import type { JobResult, WriterMessage, WriterReply, WriterRequest } from './writer-messages.ts';

export interface WriterLinkOptions {
  readonly file: string;
  /** The thread died: nothing can be written any more, and the process should end. */
  readonly onDeath: (error: Error) => void;
  /** Work that nobody waits for failed. */
  readonly onError: (error: unknown) => void;
}

/** The wire to the writer thread: requests go in order, and so do the answers. */
export class WriterLink {
  readonly #worker: Worker;
  readonly #onDeath: (error: Error) => void;
  readonly #asked: ((reply: WriterReply) => void)[] = [];
  #death: Error | null = null;
  #closing = false;

  constructor({ file, onDeath, onError }: WriterLinkOptions) {
    this.#onDeath = onDeath;
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: { file },
    });
    this.#worker.on('message', (message: WriterMessage) => {
      if (message.kind === 'trouble') onError(toError(message.failure));
      else this.#asked.shift()?.(message.reply);
    });
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('messageerror', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('the writer thread ended')));
  }

  /** Throws what the thread answers as a failure, and `StorageUnavailable` when it is dead. */
  async ask(request: WriterRequest): Promise<readonly JobResult[]> {
    if (this.#death !== null) throw new StorageUnavailable('unwritable', { cause: this.#death });
    const { promise, resolve } = Promise.withResolvers<WriterReply>();
    this.#worker.postMessage(request, transferables(request));
    this.#asked.push(resolve);
    const reply = await promise;
    if (!reply.ok) throw toError(reply.failure);
    return reply.results;
  }

  /** Ends the thread; nothing may be asked any more. */
  async close(): Promise<void> {
    this.#closing = true;
    try {
      await this.ask({ kind: 'close' });
    } finally {
      await this.#worker.terminate();
    }
  }

  #die(error: Error): void {
    if (this.#death !== null) return;
    this.#death = error;
    const failure = { kind: 'unwritable', message: error.message } as const;
    for (const resolve of this.#asked.splice(0)) resolve({ ok: false, failure });
    if (!this.#closing) this.#onDeath(error);
  }
}

/** Moved, not copied. A buffer may serve several batches, and can be named once only. */
function transferables(request: WriterRequest): ArrayBuffer[] {
  if (request.kind !== 'group') return [];
  const buffers = request.jobs.flatMap((job) =>
    job.kind === 'append'
      ? job.batches.flatMap(({ texts, ends }) => [texts.buffer, ends.buffer])
      : [],
  );
  return [...new Set(buffers)];
}

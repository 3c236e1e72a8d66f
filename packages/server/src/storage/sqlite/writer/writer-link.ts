import { Worker } from 'node:worker_threads';
import { StorageUnavailable, toError } from '../../../lib/threads/index.ts';
import type {
  JobResult,
  WriterData,
  WriterMessage,
  WriterReply,
  WriterRequest,
} from './writer-messages.ts';

export interface WriterLinkOptions {
  readonly file: string;
  /** Descriptor of the file. It must be closed after all connections. Omitted: deleted content is not overwritten completely. */
  readonly fd?: number;
  /** The writer thread died. All writes fail from now on, so the process should exit. */
  readonly onDeath: (error: Error) => void;
  readonly onError: (error: unknown) => void;
}

/** Sends requests to the writer thread. */
export class WriterLink {
  readonly #worker: Worker;
  readonly #onDeath: (error: Error) => void;
  readonly #pending: ((reply: WriterReply) => void)[] = [];
  #death: Error | null = null;
  #closing = false;

  constructor({ file, fd, onDeath, onError }: WriterLinkOptions) {
    this.#onDeath = onDeath;
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: { file, fd: fd ?? null } satisfies WriterData,
    });
    this.#worker.on('message', (message: WriterMessage) => {
      if (message.kind === 'background-failure') onError(toError(message.failure));
      else this.#pending.shift()?.(message.reply);
    });
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('messageerror', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('the writer thread ended')));
  }

  async ask(request: WriterRequest): Promise<readonly JobResult[]> {
    if (this.#death !== null) throw new StorageUnavailable('unwritable', { cause: this.#death });
    const { promise, resolve } = Promise.withResolvers<WriterReply>();
    this.#worker.postMessage(request, transferables(request));
    this.#pending.push(resolve);
    const reply = await promise;
    if (!reply.ok) throw toError(reply.failure);
    return reply.results;
  }

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
    for (const resolve of this.#pending.splice(0)) resolve({ ok: false, failure });
    if (!this.#closing) this.#onDeath(error);
  }
}

/** Returns the buffers to transfer instead of copying. Batches may share a buffer, which must be listed once. */
function transferables(request: WriterRequest): ArrayBuffer[] {
  if (request.kind !== 'group') return [];
  const buffers = request.jobs.flatMap((job) =>
    job.kind === 'append'
      ? job.batches.flatMap(({ texts, ends }) => [texts.buffer, ends.buffer])
      : [],
  );
  return [...new Set(buffers)];
}

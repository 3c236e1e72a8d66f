import { Worker } from 'node:worker_threads';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import { StorageUnavailable } from '../../ports/storage-error.ts';
import { toError } from './failure.ts';
import type { StatementResult } from './statements.ts';
import type { Job, JobResult, WriterReply, WriterRequest } from './writer-messages.ts';

interface Waiting {
  readonly job: Job;
  readonly bytes: number;
  readonly resolve: (value: StatementResult | Appended) => void;
  readonly reject: (error: Error) => void;
}

/** One statement of an open transaction. */
export type Step = (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>;

export interface WriterOptions {
  readonly file: string;
  /** How many bytes of jobs may wait before more are refused as overloaded. */
  readonly queueBytes: number;
  /** The thread died: nothing can be written any more, and the process should end. */
  readonly onDeath: (error: Error) => void;
}

const JOB_OVERHEAD_BYTES = 200;
const MAX_GROUP_BYTES = 16 * 1024 * 1024;

/**
 * The one way to write. A thread owns the writing connection, so that an fsync never stops the event
 * loop. At each moment it does one of three things:
 *
 *   idle ──jobs wait──▶ group: all waiting jobs in one transaction and one fsync ──▶ idle
 *   idle ──a transaction waits──▶ exclusive: its steps, one by one, until it ends ──▶ idle
 *
 * While it is busy, jobs gather for the next group; over `queueBytes` they are refused.
 */
export class Writer {
  readonly #worker: Worker;
  readonly #queueBytes: number;
  readonly #transactions: (() => Promise<void>)[] = [];
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #busy = false;
  #scheduled = false;
  #pendingReply: PromiseWithResolvers<WriterReply> | null = null;
  #death: Error | null = null;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#queueBytes = options.queueBytes;
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: { file: options.file },
    });
    this.#worker.on('message', (reply: WriterReply) => {
      const pending = this.#pendingReply;
      this.#pendingReply = null;
      pending?.resolve(reply);
    });
    this.#worker.on('error', (error) => this.#die(error as Error, options.onDeath));
    this.#worker.on('exit', () => {
      if (!this.#closed) this.#die(new Error('the writer thread ended'), options.onDeath);
    });
  }

  /** Bytes of jobs that wait for the disk. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  statement(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return this.#enqueue(
      { kind: 'statement', sql, parameters },
      JOB_OVERHEAD_BYTES,
    ) as Promise<StatementResult>;
  }

  append(batches: readonly EventBatch[]): Promise<Appended> {
    const bytes = batches.reduce((sum, { texts }) => sum + texts.byteLength, JOB_OVERHEAD_BYTES);
    return this.#enqueue({ kind: 'append', batches }, bytes) as Promise<Appended>;
  }

  /** Waits for its turn, and then has the connection alone until `work` is done. */
  exclusive<T>(work: (step: Step) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#transactions.push(() => work(this.#step).then(resolve, reject));
    this.#schedule();
    return promise;
  }

  openEventLog(): Promise<void> {
    return this.exclusive(async () => {
      await this.#ask({ kind: 'open-event-log' });
    });
  }

  /** Finishes what waits, moves the log into the database and ends the thread. */
  async close(): Promise<void> {
    await this.exclusive(async () => {
      this.#closed = true;
      await this.#ask({ kind: 'close' });
    });
    await this.#worker.terminate();
  }

  readonly #step: Step = async (sql, parameters) => {
    const results = await this.#ask({ kind: 'step', sql, parameters });
    return unwrap(results[0]) as StatementResult;
  };

  #enqueue(job: Job, bytes: number): Promise<StatementResult | Appended> {
    if (this.#death !== null)
      return Promise.reject(new StorageUnavailable('unwritable', { cause: this.#death }));
    if (this.#waitingBytes + bytes > this.#queueBytes)
      return Promise.reject(new StorageUnavailable('overloaded'));
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult | Appended>();
    this.#waiting.push({ job, bytes, resolve, reject });
    this.#waitingBytes += bytes;
    this.#schedule();
    return promise;
  }

  /** Begins at the end of this turn of the event loop, so that what arrived together goes together. */
  #schedule(): void {
    if (this.#busy || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#waiting.length > 0 || this.#transactions.length > 0) {
      if (this.#waiting.length > 0) await this.#runGroup(this.#takeGroup());
      await this.#transactions.shift()?.();
    }
    this.#busy = false;
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && bytes < MAX_GROUP_BYTES) {
      bytes += this.#waiting[count]?.bytes ?? 0;
      count += 1;
    }
    const group = this.#waiting.splice(0, count);
    this.#waitingBytes -= bytes;
    return group;
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#ask({ kind: 'group', jobs: group.map((waiting) => waiting.job) });
      group.forEach((waiting, index) => {
        const result = results[index];
        if (result?.ok === true) waiting.resolve(result.value);
        else
          waiting.reject(result === undefined ? new Error('no result') : toError(result.failure));
      });
    } catch (error) {
      for (const waiting of group) waiting.reject(error as Error);
    }
  }

  async #ask(request: WriterRequest): Promise<readonly JobResult[]> {
    if (this.#death !== null) throw new StorageUnavailable('unwritable', { cause: this.#death });
    this.#pendingReply = Promise.withResolvers<WriterReply>();
    const answer = this.#pendingReply.promise;
    this.#worker.postMessage(request, transferables(request));
    const reply = await answer;
    if (!reply.ok) throw toError(reply.failure);
    return reply.results;
  }

  #die(error: Error, onDeath: (error: Error) => void): void {
    if (this.#death !== null) return;
    this.#death = error;
    this.#pendingReply?.resolve({
      ok: false,
      failure: { kind: 'unwritable', message: error.message },
    });
    onDeath(error);
  }
}

function transferables(request: WriterRequest): ArrayBuffer[] {
  if (request.kind !== 'group') return [];
  return request.jobs.flatMap((job) =>
    job.kind === 'append'
      ? job.batches.flatMap(({ texts, ends }) => [texts.buffer, ends.buffer])
      : [],
  );
}

function unwrap(result: JobResult | undefined): StatementResult | Appended {
  if (result === undefined) throw new Error('the writer gave no result');
  if (!result.ok) throw toError(result.failure);
  return result.value;
}

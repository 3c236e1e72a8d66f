import type { SQLInputValue } from 'node:sqlite';
import { StorageUnavailable, toError } from '../../../lib/threads/index.ts';
import { SERVICE, WriteQueue } from '../../event-log/write-queue.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { StatementResult } from '../statements.ts';
import { type Transaction, TransactionQueue } from './transactions.ts';
import { WriterLink, type WriterLinkOptions } from './writer-link.ts';
import { type Job, jobBytes, type Statement, toTransferable } from './writer-messages.ts';

export type { Transaction };

interface Waiting {
  readonly job: Job;
  readonly owner: string;
  readonly bytes: number;
  readonly resolve: (value: StatementResult | Appended) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterOptions extends WriterLinkOptions {
  /** Maximum size of waiting writes in bytes. Further writes throw `StorageUnavailable`. */
  readonly queueBytes: number;
}

const TRANSACTION = { owner: SERVICE, bytes: 4096 };

/**
 * Performs all writes. A worker thread owns the writing connection, so that an fsync never blocks the event loop.
 *
 *   idle ──jobs are waiting──▶ group: runs them in one transaction with one fsync ──▶ idle
 *   idle ──transactions are waiting──▶ exclusive: runs some of them one after the other; see `TransactionQueue` ──▶ idle
 *
 * While the thread is busy, new jobs are queued for the next group. `close` rejects further writes and ends the thread
 * when the queue is empty.
 */
export class Writer {
  readonly #link: WriterLink;
  readonly #waiting: WriteQueue<Waiting>;
  readonly #transactions: TransactionQueue;
  #busy = false;
  #scheduled = false;
  #open = true;
  #drained: (() => void) | null = null;

  constructor(options: WriterOptions) {
    this.#waiting = new WriteQueue(options.queueBytes);
    this.#link = new WriterLink(options);
    this.#transactions = new TransactionQueue(this.#link);
  }

  get waitingBytes(): number {
    return this.#waiting.waitingBytes;
  }

  async openEventLog(): Promise<void> {
    await this.#link.ask({ kind: 'open-event-log' });
  }

  async statement(sql: string, parameters: readonly SQLInputValue[]): Promise<StatementResult> {
    return (await this.#enqueue({ kind: 'statement', sql, parameters })) as StatementResult;
  }

  async atomically(statements: readonly Statement[]): Promise<void> {
    await this.#enqueue({ kind: 'atomic', statements });
  }

  async append(batches: readonly EventBatch[]): Promise<Appended> {
    return (await this.#enqueue({
      kind: 'append',
      batches: batches.map(toTransferable),
    })) as Appended;
  }

  /** Starts a transaction when the writer is free. All other writes wait until it ends. */
  async begin(): Promise<Transaction> {
    this.#assertOpen();
    this.#waiting.admit(TRANSACTION);
    const started = this.#transactions.begin(() => this.#waiting.release(TRANSACTION));
    this.#schedule();
    return started;
  }

  async close(): Promise<void> {
    this.#open = false;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      this.#schedule();
    });
    await this.#link.close();
  }

  #enqueue(job: Job): Promise<StatementResult | Appended> {
    const bytes = jobBytes(job);
    const owner = job.kind === 'append' ? (job.batches[0]?.spaceId ?? SERVICE) : SERVICE;
    this.#assertOpen();
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult | Appended>();
    const waiting = { job, owner, bytes, resolve, reject };
    this.#waiting.admit(waiting);
    this.#waiting.add(waiting);
    this.#schedule();
    return promise;
  }

  #assertOpen(): void {
    if (!this.#open)
      throw new StorageUnavailable('unwritable', { cause: new Error('the store is closed') });
  }

  /** Starts after the current turn of the event loop, so that concurrent writes share an fsync. */
  #schedule(): void {
    if (this.#busy || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (!this.#waiting.isEmpty || !this.#transactions.isEmpty) {
      if (!this.#waiting.isEmpty) await this.#runGroup(this.#waiting.takeGroup());
      await this.#transactions.runSome();
    }
    this.#busy = false;
    this.#drained?.();
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#link.ask({ kind: 'group', jobs: group.map(({ job }) => job) });
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result?.ok === true) resolve(result.value);
        else
          reject(
            result === undefined
              ? new Error('the writer thread returned no result')
              : toError(result.failure),
          );
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      for (const waiting of group) this.#waiting.release(waiting);
    }
  }
}

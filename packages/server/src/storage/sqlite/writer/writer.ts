import type { SQLInputValue } from 'node:sqlite';
import { StorageUnavailable, toError } from '../../../lib/threads/index.ts';
import { SERVICE, WriteQueue } from '../../event-log/write-queue.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { StatementResult } from '../statements.ts';
import { jobBytes, owned } from './job.ts';
import { Transaction } from './transaction.ts';
import { WriterLink, type WriterLinkOptions } from './writer-link.ts';
import type { Job, Statement } from './writer-messages.ts';

interface Waiting {
  readonly job: Job;
  readonly owner: string;
  readonly bytes: number;
  readonly resolve: (value: StatementResult | Appended) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterOptions extends WriterLinkOptions {
  /** How many bytes of writes may wait before more are refused as overloaded. */
  readonly queueBytes: number;
}

/** What a transaction that waits for its turn counts: about what its request holds in memory. */
const TRANSACTION = { owner: SERVICE, bytes: 4096 };

/**
 * The one way to write. A thread owns the writing connection, so that an fsync never stops the event
 * loop. At each moment it does one of three things:
 *
 *   idle ──jobs wait──▶ group: waiting jobs in one transaction and one fsync ──▶ idle
 *   idle ──a transaction waits──▶ exclusive: its steps, one by one, until it ends ──▶ idle
 *
 * While it is busy, jobs gather for the next group (`WriteQueue`). `close` refuses what comes after it, and
 * ends the thread when it is idle and nothing waits.
 */
export class Writer {
  readonly #link: WriterLink;
  readonly #waiting: WriteQueue<Waiting>;
  readonly #turns: (() => Promise<void>)[] = [];
  #busy = false;
  #scheduled = false;
  #open = true;
  #drained: (() => void) | null = null;

  constructor(options: WriterOptions) {
    this.#waiting = new WriteQueue(options.queueBytes);
    this.#link = new WriterLink(options);
  }

  /** Bytes of writes that are not on disk yet. */
  get waitingBytes(): number {
    return this.#waiting.waitingBytes;
  }

  async openEventLog(): Promise<void> {
    await this.#link.ask({ kind: 'open-event-log' });
  }

  async statement(sql: string, parameters: readonly SQLInputValue[]): Promise<StatementResult> {
    return (await this.#enqueue({ kind: 'statement', sql, parameters })) as StatementResult;
  }

  /** All of them or none, in their order. */
  async together(statements: readonly Statement[]): Promise<void> {
    await this.#enqueue({ kind: 'together', statements });
  }

  async append(batches: readonly EventBatch[]): Promise<Appended> {
    return (await this.#enqueue({ kind: 'append', batches: batches.map(owned) })) as Appended;
  }

  /** Waits for its turn. What else wants to write waits until the transaction ends. */
  async begin(): Promise<Transaction> {
    this.#assertOpen();
    this.#waiting.admit(TRANSACTION);
    const begun = Promise.withResolvers<Transaction>();
    this.#turns.push(async () => {
      const ended = Promise.withResolvers<void>();
      try {
        await this.#link.ask({ kind: 'begin' });
        begun.resolve(new Transaction(this.#link, ended.resolve));
        await ended.promise;
      } catch (error) {
        begun.reject(error);
      } finally {
        this.#waiting.leave(TRANSACTION);
      }
    });
    this.#schedule();
    return begun.promise;
  }

  /** Finishes what waits, moves the log into the database and ends the thread. */
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
    this.#busy = true;
    while (!this.#waiting.isEmpty || this.#turns.length > 0) {
      if (!this.#waiting.isEmpty) await this.#runGroup(this.#waiting.takeGroup());
      await this.#turns.shift()?.();
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
        else reject(result === undefined ? new Error('no result') : toError(result.failure));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      for (const waiting of group) this.#waiting.leave(waiting);
    }
  }
}

import type { SQLInputValue } from 'node:sqlite';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import { StorageUnavailable } from '../../ports/storage-error.ts';
import { toError } from './failure.ts';
import { jobBytes, owned } from './job.ts';
import type { StatementResult } from './statements.ts';
import { Transaction } from './transaction.ts';
import { WriterLink, type WriterLinkOptions } from './writer-link.ts';
import type { Job, Statement } from './writer-messages.ts';

interface Waiting {
  readonly job: Job;
  readonly bytes: number;
  readonly resolve: (value: StatementResult | Appended) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterOptions extends WriterLinkOptions {
  /** How many bytes of writes may wait before more are refused as overloaded. */
  readonly queueBytes: number;
}

/** What a transaction that waits for its turn counts: about what its request holds in memory. */
const TRANSACTION_BYTES = 4096;
const MAX_GROUP_BYTES = 16 * 1024 * 1024;

/**
 * The one way to write. A thread owns the writing connection, so that an fsync never stops the event
 * loop. At each moment it does one of three things:
 *
 *   idle ──jobs wait──▶ group: all waiting jobs in one transaction and one fsync ──▶ idle
 *   idle ──a transaction waits──▶ exclusive: its steps, one by one, until it ends ──▶ idle
 *
 * While it is busy, jobs gather for the next group; over `queueBytes` they are refused. `close`
 * refuses what comes after it, and ends the thread when it is idle and nothing waits.
 */
export class Writer {
  readonly #link: WriterLink;
  readonly #queueBytes: number;
  #waiting: Waiting[] = [];
  readonly #turns: (() => Promise<void>)[] = [];
  #waitingBytes = 0;
  #busy = false;
  #scheduled = false;
  #open = true;
  #drained: (() => void) | null = null;

  constructor(options: WriterOptions) {
    this.#queueBytes = options.queueBytes;
    this.#link = new WriterLink(options);
  }

  /** Bytes of writes that are not on disk yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
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
    this.#admit(TRANSACTION_BYTES);
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
        this.#waitingBytes -= TRANSACTION_BYTES;
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
    this.#admit(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult | Appended>();
    this.#waiting.push({ job, bytes, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Whatever its size, a write is let in when nothing else waits: it could never be written else. */
  #admit(bytes: number): void {
    if (!this.#open)
      throw new StorageUnavailable('unwritable', { cause: new Error('the store is closed') });
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > this.#queueBytes)
      throw new StorageUnavailable('overloaded');
    this.#waitingBytes += bytes;
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
    while (this.#waiting.length > 0 || this.#turns.length > 0) {
      if (this.#waiting.length > 0) await this.#runGroup(this.#takeGroup());
      await this.#turns.shift()?.();
    }
    this.#busy = false;
    this.#drained?.();
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((waiting) => {
      bytes += waiting.bytes;
      return bytes >= MAX_GROUP_BYTES;
    });
    if (end !== -1) return this.#waiting.splice(0, end + 1);
    const group = this.#waiting;
    this.#waiting = [];
    return group;
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
      for (const { bytes } of group) this.#waitingBytes -= bytes;
    }
  }
}

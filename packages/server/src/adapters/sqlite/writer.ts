import type { SQLInputValue } from 'node:sqlite';
import { FairQueue } from '../../background/index.ts';
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
const TRANSACTION_BYTES = 4096;
/** Whoever comes anew waits for the group under way, and for its own: so they are smaller while several spaces send. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
const MAX_SHARED_GROUP_BYTES = 1024 * 1024;
/** How long spaces that were in one group are taken to go on sending. */
const SHARED_FOR_MS = 1000;
/** Whose writes they are that belong to no space's events. */
const SERVICE = '';
/** One space's events may take so many times the room that they leave to others. */
const SHARE = 3;

/**
 * The one way to write. A thread owns the writing connection, so that an fsync never stops the event
 * loop. At each moment it does one of three things:
 *
 *   idle ──jobs wait──▶ group: waiting jobs in one transaction and one fsync ──▶ idle
 *   idle ──a transaction waits──▶ exclusive: its steps, one by one, until it ends ──▶ idle
 *
 * While it is busy, jobs gather for the next group; over `queueBytes` they are refused. A space that sends
 * more than the disk takes has itself to wait for: a group takes a job of each space in turn, and where
 * one has three quarters of the room, it is that one which is refused. `close` refuses what comes after
 * it, and ends the thread when it is idle and nothing waits.
 */
export class Writer {
  readonly #link: WriterLink;
  readonly #queueBytes: number;
  readonly #waiting = new FairQueue<Waiting>();
  /** Bytes of events that are not on disk yet, by space. */
  readonly #bytesOf = new Map<string, number>();
  readonly #turns: (() => Promise<void>)[] = [];
  #waitingBytes = 0;
  /** Of the process's monotonic clock. */
  #sharedUntil = 0;
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
    this.#admit(SERVICE, TRANSACTION_BYTES);
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
        this.#leave(SERVICE, TRANSACTION_BYTES);
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
    this.#admit(owner, bytes);
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult | Appended>();
    this.#waiting.add(owner, { job, owner, bytes, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Whatever its size, a write is let in when nothing else waits: it could never be written else. */
  #admit(owner: string, bytes: number): void {
    if (!this.#open)
      throw new StorageUnavailable('unwritable', { cause: new Error('the store is closed') });
    const own = this.#bytesOf.get(owner) ?? 0;
    const left = this.#queueBytes - this.#waitingBytes;
    if ((this.#waitingBytes > 0 && bytes > left) || (own > 0 && own + bytes > SHARE * left))
      throw new StorageUnavailable('overloaded');
    this.#waitingBytes += bytes;
    if (owner !== SERVICE) this.#bytesOf.set(owner, own + bytes);
  }

  #leave(owner: string, bytes: number): void {
    this.#waitingBytes -= bytes;
    const own = (this.#bytesOf.get(owner) ?? bytes) - bytes;
    if (own > 0) this.#bytesOf.set(owner, own);
    else this.#bytesOf.delete(owner);
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
      if (!this.#waiting.isEmpty) await this.#runGroup(this.#takeGroup());
      await this.#turns.shift()?.();
    }
    this.#busy = false;
    this.#drained?.();
  }

  #takeGroup(): Waiting[] {
    const now = performance.now();
    const most = now < this.#sharedUntil ? MAX_SHARED_GROUP_BYTES : MAX_GROUP_BYTES;
    const group: Waiting[] = [];
    const spaces = new Set<string>();
    for (let bytes = 0; bytes < most; bytes += group.at(-1)?.bytes ?? 0) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      group.push(next);
      if (next.owner !== SERVICE) spaces.add(next.owner);
    }
    if (spaces.size > 1) this.#sharedUntil = now + SHARED_FOR_MS;
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
      for (const { owner, bytes } of group) this.#leave(owner, bytes);
    }
  }
}

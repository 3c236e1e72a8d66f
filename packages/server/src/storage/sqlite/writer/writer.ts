import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable, toError } from '../../../lib/threads/index.ts';
import { SERVICE, WriteQueue } from '../../event-log/write-queue.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import type { StatementResult } from '../statements.ts';
import {
  type Statement,
  sizeOfWrite,
  toTransferable,
  type Write,
  type WriteResult,
  type WriterData,
  type WriterMessage,
  type WriterReply,
  type WriterRequest,
} from './writer-messages.ts';

interface Waiting {
  readonly write: Write;
  readonly owner: string;
  readonly bytes: number;
  readonly resolve: (value: StatementResult | Appended) => void;
  readonly reject: (error: unknown) => void;
}

interface RunningGroup {
  readonly owners: ReadonlySet<string>;
  joinedWrites: number;
  joinedBytes: number;
  /** `true` if waiting writes were sent while the group was running. */
  isFollowed: boolean;
}

export interface WriterOptions extends WriterLinkOptions {
  /** Maximum size of waiting writes in bytes. Further writes throw `StorageUnavailable`. */
  readonly queueBytes: number;
}

/**
 * Limits of the writes that join the transaction of a running group. Each of them is a message of its own, which costs more CPU time
 * than a write in a group.
 */
const MAX_JOINED_WRITES = 8;
const MAX_JOINED_BYTES = 64 * 1024;
/**
 * Number of waiting writes that are sent although the event loop is still busy. Otherwise the thread would do nothing while the event
 * loop handles many requests, and the event loop would do nothing while the thread writes all of them.
 */
const EARLY_WRITES = 16;
const TRANSACTION = { owner: SERVICE, bytes: 4096 };

/**
 * Performs all writes. A worker thread owns the writing connection, so that an fsync never blocks the event loop.
 *
 *   idle ──writes are waiting──▶ group: runs them in one transaction with one fsync ──▶ idle
 *   idle ──a transaction is waiting──▶ exclusive: runs its statements until it ends ──▶ idle
 *
 * While the thread is busy, new writes are queued for the next group. There are two exceptions, which join the transaction of the running
 * group, or are groups of their own if its commit has started:
 *
 * - a small write whose owner has no write in the running group and none in the queue;
 * - once per group, the waiting writes, if there are at least `EARLY_WRITES` and they are small.
 *
 * `close` rejects further writes and ends the thread when the queue is empty.
 */
export class Writer {
  readonly #link: WriterLink;
  readonly #waiting: WriteQueue<Waiting>;
  readonly #transactions: (() => Promise<void>)[] = [];
  #running: RunningGroup | null = null;
  #busy = false;
  #scheduled = false;
  #open = true;
  #drained: (() => void) | null = null;

  constructor(options: WriterOptions) {
    this.#waiting = new WriteQueue(options.queueBytes);
    this.#link = new WriterLink(options);
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

  /** Returns `false` and writes nothing if the condition neither changes nor returns a row. */
  async writeIf(condition: Statement, statements: readonly Statement[]): Promise<boolean> {
    const write: Write = { kind: 'conditional', condition, statements };
    return ((await this.#enqueue(write)) as StatementResult).changes > 0;
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
    const started = Promise.withResolvers<Transaction>();
    this.#transactions.push(async () => {
      const ended = Promise.withResolvers<void>();
      try {
        await this.#link.ask({ kind: 'begin' });
        started.resolve(new Transaction(this.#link, ended.resolve));
        await ended.promise;
      } catch (error) {
        started.reject(error);
      } finally {
        this.#waiting.release(TRANSACTION);
      }
    });
    this.#schedule();
    return started.promise;
  }

  async close(): Promise<void> {
    this.#open = false;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      this.#schedule();
    });
    await this.#link.close();
  }

  #enqueue(write: Write): Promise<StatementResult | Appended> {
    const bytes = sizeOfWrite(write);
    const owner = write.kind === 'append' ? (write.batches[0]?.spaceId ?? SERVICE) : SERVICE;
    this.#assertOpen();
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult | Appended>();
    const waiting = { write, owner, bytes, resolve, reject };
    this.#waiting.admit(waiting);
    if (this.#join(waiting)) void this.#send([waiting]);
    else {
      this.#waiting.add(waiting);
      if (this.#waiting.queuedWrites >= EARLY_WRITES) this.#sendEarly();
      this.#schedule();
    }
    return promise;
  }

  /** Returns `false` if the write must wait for its turn. */
  #join({ owner, bytes }: Waiting): boolean {
    const running = this.#running;
    if (running === null || running.owners.has(owner) || this.#waiting.has(owner)) return false;
    if (running.joinedWrites === MAX_JOINED_WRITES) return false;
    if (running.joinedBytes + bytes > MAX_JOINED_BYTES) return false;
    running.joinedWrites += 1;
    running.joinedBytes += bytes;
    if (owner !== SERVICE) this.#waiting.noteSharing();
    return true;
  }

  #assertOpen(): void {
    if (!this.#open)
      throw new StorageUnavailable('unwritable', { cause: new Error('the store is closed') });
  }

  /** Starts after the current iteration of the event loop, so that concurrent writes share an fsync. */
  #schedule(): void {
    if (this.#busy || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#busy) void this.#work();
    });
  }

  /** Sends the waiting writes in the current iteration of the event loop, if they may be sent. */
  #sendEarly(): void {
    const running = this.#running;
    if (!this.#busy) void this.#work();
    else if (running !== null && !running.isFollowed) {
      if (running.joinedBytes + this.#waiting.queuedBytes > MAX_JOINED_BYTES) return;
      running.isFollowed = true;
      running.joinedBytes += this.#waiting.queuedBytes;
      void this.#send(this.#takeGroup());
    }
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (!this.#waiting.isEmpty || this.#transactions.length > 0) {
      if (!this.#waiting.isEmpty) await this.#runGroup(this.#takeGroup());
      await this.#transactions.shift()?.();
    }
    this.#busy = false;
    this.#drained?.();
  }

  #takeGroup(): Waiting[] {
    return this.#waiting.takeGroup({ commitMs: this.#link.commitMs });
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const owners = new Set(group.map(({ owner }) => owner));
    this.#running = { owners, joinedWrites: 0, joinedBytes: 0, isFollowed: false };
    await this.#send(group);
    this.#running = null;
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#link.ask({
        kind: 'group',
        writes: group.map(({ write }) => write),
      });
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

/** An open transaction. It uses the writer exclusively until it is committed or rolled back. */
export class Transaction {
  readonly #link: WriterLink;
  readonly #ended: () => void;

  constructor(link: WriterLink, ended: () => void) {
    this.#link = link;
    this.#ended = ended;
  }

  async run(sql: string, parameters: readonly SQLInputValue[]): Promise<StatementResult> {
    const [result] = await this.#link.ask({ kind: 'step', sql, parameters });
    if (result === undefined) throw new Error('the writer thread returned no result');
    if (!result.ok) throw toError(result.failure);
    return result.value as StatementResult;
  }

  /** Commits. If the commit fails, rolls back and throws. */
  async commit(): Promise<void> {
    await this.#end('commit');
  }

  async rollBack(): Promise<void> {
    await this.#end('rollback');
  }

  async #end(action: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.#link.ask({ kind: 'end', action });
    } finally {
      this.#ended();
    }
  }
}

export interface WriterLinkOptions {
  readonly file: string;
  /**
   * Descriptor of the file. It must be closed after all connections. Omitted: another process may own the database, so there are no
   * checkpoints, and deleted content is not overwritten completely.
   */
  readonly fd?: number;
  /**
   * The writer thread died. All writes fail from now on, so the process should exit. Not called if the thread could not open the file,
   * because then the first write already fails.
   */
  readonly onDeath: (error: Error) => void;
  readonly onError: (error: unknown) => void;
}

class WriterLink {
  readonly #worker: Worker;
  readonly #onDeath: (error: Error) => void;
  readonly #pending: ((reply: WriterReply) => void)[] = [];
  #commitMs = 0;
  #death: Error | null = null;
  #closing = false;
  #hasOpened = false;

  constructor({ file, fd, onDeath, onError }: WriterLinkOptions) {
    this.#onDeath = onDeath;
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'sqlite-writer',
      workerData: { file, fd: fd ?? null } satisfies WriterData,
      // The thread keeps a descriptor that must not be closed before the process ends; see `LogIndex`.
      trackUnmanagedFds: false,
    });
    this.#worker.on('message', (message: WriterMessage) => {
      if (message.kind === 'background-failure') onError(toError(message.failure));
      else if (message.kind === 'death') this.#die(toError(message.failure));
      else {
        this.#hasOpened = true;
        this.#pending.shift()?.(message.reply);
      }
    });
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('messageerror', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('the writer thread ended')));
  }

  /** Usual time of a commit in milliseconds, according to the last reply. */
  get commitMs(): number {
    return this.#commitMs;
  }

  async ask(request: WriterRequest): Promise<readonly WriteResult[]> {
    if (this.#death !== null) throw new StorageUnavailable('unwritable', { cause: this.#death });
    const { promise, resolve } = Promise.withResolvers<WriterReply>();
    this.#worker.postMessage(request, transferables(request));
    this.#pending.push(resolve);
    const reply = await promise;
    if (!reply.ok) throw toError(reply.failure);
    this.#commitMs = reply.commitMs;
    return reply.results;
  }

  async close(): Promise<void> {
    this.#closing = true;
    try {
      // If the thread could not open the file, the first write has reported it.
      if (this.#death === null || this.#hasOpened) await this.ask({ kind: 'close' });
    } finally {
      await this.#worker.terminate();
    }
  }

  #die(error: Error): void {
    if (this.#death !== null) return;
    this.#death = error;
    const failure = { kind: 'unwritable', message: error.message } as const;
    for (const resolve of this.#pending.splice(0)) resolve({ ok: false, failure });
    if (!this.#closing && this.#hasOpened) this.#onDeath(error);
  }
}

/** Returns the buffers to transfer instead of copying. Batches may share a buffer, which must be listed once. */
function transferables(request: WriterRequest): ArrayBuffer[] {
  if (request.kind !== 'group') return [];
  const buffers = request.writes.flatMap((write) =>
    write.kind === 'append'
      ? write.batches.flatMap(({ texts, ends }) => [texts.buffer, ends.buffer])
      : [],
  );
  return [...new Set(buffers)];
}

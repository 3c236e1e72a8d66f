import { Worker } from 'node:worker_threads';
import type { Charge, WorkOwner } from '../scheduling/index.ts';
import { type Failure, toError } from './failure.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import type { ReadLimits } from './read-limits.ts';
import type { Contention } from './step.ts';
import { StorageTooSlow } from './storage-errors.ts';

/** A successful reply contains the time that the thread measured: CPU time, or elapsed time if it waited for a server. */
export type ThreadReply<Result> =
  | ({ readonly ok: true; readonly result: Result } & Charge)
  | { readonly ok: false; readonly failure: Failure };

/**
 * A message to the thread. The thread keeps a request until the result is complete, so the following steps send only the number.
 * A request can contain a large filter.
 */
export type ThreadMessage<Request> =
  | { readonly kind: 'start'; readonly id: number; readonly request: Request }
  | { readonly kind: 'continue'; readonly id: number }
  /** Nobody waits for the result any more. */
  | { readonly kind: 'forget'; readonly id: number };

/** A request and the thread that keeps it. */
interface Sent<Request> {
  readonly id: number;
  readonly request: Request;
  worker: Worker | null;
}

type Reply<Result> = Extract<ThreadReply<Result>, { ok: true }>;

/** Maximum time in milliseconds that the steps of a read may take together, not counting shared work. */
const TIME_LIMIT_MS = 2000;

export interface ReadThreadOptions {
  /** File of the thread, which calls `serveRequests`. */
  readonly script: URL;
  readonly name: string;
  /** `workerData` of the thread. */
  readonly database: object;
  readonly limits?: ReadLimits;
}

/**
 * A worker thread for reads that would block the event loop. It starts with the first request and performs one step of an
 * result at a time. `FairSemaphore` decides whose step is next.
 */
export class ReadThread<Request, Result> {
  readonly #start: () => Worker;
  readonly #scheduler: FairSemaphore;
  #worker: Worker | null = null;
  #current: PromiseWithResolvers<Reply<Result>> | null = null;
  #closed = false;
  #lastId = 0;

  constructor({ script, name, database, limits }: ReadThreadOptions) {
    const contention: Contention = new Int32Array(new SharedArrayBuffer(4));
    this.#start = () => new Worker(script, { name, workerData: { ...database, contention } });
    this.#scheduler = new FairSemaphore({
      permits: 1,
      name,
      onContention: (isContended) => Atomics.store(contention, 0, isContended ? 1 : 0),
      ...(limits === undefined ? {} : { limits }),
    });
  }

  /**
   * Performs a read, in several steps if it takes the thread longer than one. Rejects with the error of the thread, with `StorageTooSlow` if
   * the steps take longer than two seconds together, and in the cases in which `FairSemaphore.run` rejects.
   */
  read(request: Request, owner: WorkOwner, signal?: AbortSignal): Promise<NonNullable<Result>> {
    return this.readInSequence(request, () => null, owner, signal);
  }

  /**
   * Performs several reads as the steps of one read. Returns the last result.
   *
   * @param next returns the request that follows a result, or `null` after the last result.
   */
  async readInSequence(
    first: Request,
    next: (result: NonNullable<Result>) => Request | null,
    owner: WorkOwner,
    signal?: AbortSignal,
  ): Promise<NonNullable<Result>> {
    if (this.#closed) throw new Error('the store is closed');
    let sent = this.#newSent(first);
    let usedMs = 0;
    const step = async () => {
      if (usedMs > TIME_LIMIT_MS) throw new StorageTooSlow();
      const { result, ms, isShared } = await this.#put(sent);
      if (!isShared) usedMs += ms;
      const charge = { ms, isShared };
      if (result === null || result === undefined) return { result: null, charge };
      const following = next(result);
      if (following === null) return { result, charge };
      sent = this.#newSent(following);
      return { result: null, charge };
    };
    try {
      return await this.#scheduler.runSteps(owner, step, signal);
    } catch (error) {
      this.#forget(sent);
      throw error;
    }
  }

  /** Throws if a request of this owner would be rejected immediately. */
  admit(owner: WorkOwner): void {
    this.#scheduler.admit(owner);
  }

  /** Stops the thread. Rejects all unfinished reads. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new Error('the store is closed'));
    await this.#worker?.terminate();
  }

  #newSent(request: Request): Sent<Request> {
    this.#lastId += 1;
    return { id: this.#lastId, request, worker: null };
  }

  #put(sent: Sent<Request>): Promise<Reply<Result>> {
    const current = Promise.withResolvers<Reply<Result>>();
    if (this.#closed) throw new Error('the store is closed');
    this.#current = current;
    this.#worker ??= this.#run();
    const { id, request, worker } = sent;
    if (worker === this.#worker) this.#send({ kind: 'continue', id });
    else this.#send({ kind: 'start', id, request });
    sent.worker = this.#worker;
    return current.promise;
  }

  #forget({ id, worker }: Sent<Request>): void {
    if (worker !== null && worker === this.#worker) this.#send({ kind: 'forget', id });
  }

  #send(message: ThreadMessage<Request>): void {
    this.#worker?.postMessage(message);
  }

  #run(): Worker {
    const worker = this.#start();
    worker.on('message', (reply: ThreadReply<Result>) => {
      const current = this.#current;
      this.#current = null;
      if (reply.ok) current?.resolve(reply);
      else current?.reject(toError(reply.failure));
    });
    // If the thread dies, its read fails. The next read starts a new thread.
    const ended = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#failAll(error);
    };
    worker.on('error', (error) => ended(error as Error));
    worker.on('exit', () => ended(new Error('the reader thread ended')));
    return worker;
  }

  #failAll(error: Error): void {
    this.#scheduler.failAll(error);
    this.#current?.reject(error);
    this.#current = null;
  }
}

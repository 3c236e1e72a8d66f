import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { SERVICE, WriteQueue } from '../../event-log/write-queue.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import { isLockTimeout } from '../failure.ts';
import type { Pool } from '../pool.ts';
import { retryOnce } from '../retry.ts';
import { BatchAppender } from './batch-appender.ts';
import { checkBatch, type PackedBatch, packBatch, sizeOf } from './packed-batch.ts';

/**
 * Maximum groups in flight. While one group waits for the disk, the server works on the other group. A third group does not increase the throughput.
 */
const MAX_GROUPS_IN_FLIGHT = 2;
/** The cost of the statement's plan grows with the square of the number of requests. */
const MAX_REQUESTS_PER_GROUP = 1_000;
/**
 * While a first group is in flight, a second group collects requests for at most this many milliseconds, or until it is large
 * enough. Many small groups would reduce throughput.
 */
const GATHER_MS = 20;
const LOCK_TIMEOUT_MS = 2_000;
/** Maximum wait for a lock in milliseconds when the spaces of a group are tried separately to find the blocked space. */
const SHORT_LOCK_TIMEOUT_MS = 200;

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  /** The compressed batches. */
  readonly batches: Promise<readonly PackedBatch[]>;
  readonly resolve: (value: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes the appends of this replica in groups, with one statement per group. Requests that arrive while groups are in flight
 * form the next group (see `WriteQueue`).
 *
 * If another transaction blocks a group, the writer tries each space of the group separately to find the blocked space. It then
 * writes the blocked space separately, one append at a time. Concurrent appends to that space are rejected until an append
 * succeeds. Other spaces are not delayed.
 */
export class EventWriter {
  readonly #appender: BatchAppender;
  readonly #queue: WriteQueue<Waiting>;
  /** Blocked spaces. The value is `true` while an append to the space is in flight. */
  readonly #blocked = new Map<string, boolean>();
  readonly #inFlight = new Set<Promise<void>>();
  #groupsInFlight = 0;
  #busyBytes = 0;
  /** Monotonic time in milliseconds until which a second group collects requests. */
  #gathersUntil = 0;
  #gathering: NodeJS.Timeout | null = null;
  #scheduled = false;
  #open = true;

  constructor(pool: Pool, queueBytes: number) {
    this.#appender = new BatchAppender(pool);
    this.#queue = new WriteQueue(queueBytes);
  }

  async append(batches: readonly EventBatch[]): Promise<Appended> {
    if (!this.#open)
      throw new StorageUnavailable('unwritable', { cause: new Error('the store is closed') });
    for (const batch of batches) checkBatch(batch);
    const room = { owner: batches[0]?.spaceId ?? SERVICE, bytes: sizeOf(batches) };
    this.#queue.admit(room);
    const packed = Promise.all(batches.map(packBatch));
    // A rejection is handled later, when the group is written.
    packed.catch(() => {});
    const { promise, resolve, reject } = Promise.withResolvers<Appended>();
    this.#queue.add({ ...room, batches: packed, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Rejects new appends and resolves after the waiting appends have settled. */
  async close(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#gathering ?? undefined);
    do {
      this.#startGroups();
      await Promise.all(this.#inFlight);
    } while (this.#inFlight.size > 0 || !this.#queue.isEmpty);
  }

  /** Starts groups after the current iteration of the event loop, so requests that arrive together form one group. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#startGroups();
    });
  }

  #startGroups(): void {
    while (this.#mayStart()) {
      const group = this.#queue.takeGroup({ maxWrites: MAX_REQUESTS_PER_GROUP });
      const bytes = group.reduce((sum, request) => sum + request.bytes, 0);
      this.#groupsInFlight += 1;
      this.#busyBytes += bytes;
      this.#gathersUntil = performance.now() + GATHER_MS;
      this.#start(async () => {
        await this.#runGroup(group);
        this.#groupsInFlight -= 1;
        this.#busyBytes -= bytes;
        this.#schedule();
      });
    }
    if (this.#queue.isEmpty || this.#groupsInFlight >= MAX_GROUPS_IN_FLIGHT) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#startGroups();
    }, GATHER_MS);
  }

  #mayStart(): boolean {
    if (this.#queue.isEmpty || this.#groupsInFlight >= MAX_GROUPS_IN_FLIGHT) return false;
    const isAsLarge = this.#queue.waitingBytes >= 2 * this.#busyBytes;
    return this.#groupsInFlight === 0 || isAsLarge || performance.now() >= this.#gathersUntil;
  }

  #start(run: () => Promise<void>): void {
    const done = run().finally(() => this.#inFlight.delete(done));
    this.#inFlight.add(done);
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const { free = [], blocked = [] } = Object.groupBy(group, ({ owner }) =>
      this.#blocked.has(owner) ? 'blocked' : 'free',
    );
    for (const request of blocked) this.#start(() => this.#tryBlocked(request));
    const error = await this.#write(free, LOCK_TIMEOUT_MS);
    if (error === null) return;
    if (isLockTimeout(error)) await this.#findBlocked(free, error);
    else if (error instanceof StorageUnavailable || free.length === 1) this.#fail(free, error);
    // An invalid request must not fail the other requests of its group.
    else for (const request of free) await this.#writeOrFail([request]);
  }

  async #tryBlocked(request: Waiting): Promise<void> {
    if (this.#blocked.get(request.owner) === true)
      return this.#fail([request], new StorageUnavailable('overloaded'));
    this.#blocked.set(request.owner, true);
    const error = await this.#write([request], LOCK_TIMEOUT_MS);
    if (error !== null) this.#fail([request], error);
    if (isLockTimeout(error)) this.#blocked.set(request.owner, false);
    else this.#blocked.delete(request.owner);
  }

  async #findBlocked(group: readonly Waiting[], error: unknown): Promise<void> {
    const spaces = Map.groupBy(group, ({ owner }) => owner);
    for (const [owner, own] of spaces) {
      const failure = spaces.size === 1 ? error : await this.#write(own, SHORT_LOCK_TIMEOUT_MS);
      if (failure === null) continue;
      if (isLockTimeout(failure) && !this.#blocked.has(owner)) this.#blocked.set(owner, false);
      this.#fail(own, failure);
    }
  }

  async #writeOrFail(group: readonly Waiting[]): Promise<void> {
    const error = await this.#write(group, LOCK_TIMEOUT_MS);
    if (error !== null) this.#fail(group, error);
  }

  /** Writes the group, resolves its requests and returns `null`. On failure, resolves no request and returns the error. */
  async #write(group: readonly Waiting[], lockTimeoutMs: number): Promise<unknown> {
    try {
      const packed = await Promise.all(group.map(({ batches }) => batches));
      const batches = packed.flat();
      const kept =
        batches.length === 0
          ? []
          : await retryOnce(() => this.#appender.append(batches, lockTimeoutMs));
      let index = 0;
      for (const [place, request] of group.entries()) {
        let stored = 0;
        for (const _ of packed[place] ?? []) stored += kept[index++] ?? 0;
        this.#queue.release(request);
        request.resolve({ stored });
      }
      return null;
    } catch (error) {
      return error;
    }
  }

  #fail(group: readonly Waiting[], error: unknown): void {
    for (const request of group) {
      this.#queue.release(request);
      request.reject(error);
    }
  }
}

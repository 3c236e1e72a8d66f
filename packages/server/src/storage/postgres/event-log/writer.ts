import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { SERVICE, WriteQueue } from '../../event-log/write-queue.ts';
import type { Appended, EventBatch } from '../../ports/event-store.ts';
import { isLockTimeout } from '../failure.ts';
import type { Pool } from '../pool.ts';
import { retryOnce } from '../retry.ts';
import { BatchAppender } from './batch-appender.ts';
import { checkBatch, type PackedBatch, packBatch, sizeOf } from './packed-batch.ts';

/** Groups under way at once: while one waits for the disk, the server works on the other. Three are not faster. */
const LANES = 2;
/** In one group: the statement's plan compares each with each. */
const MOST_REQUESTS = 1_000;
/** So long the second group waits to be as large as the first: many small ones cost more than they gain. */
const GATHER_MS = 20;
/** So long an append waits for somebody else's transaction, … */
const LOCK_TIMEOUT_MS = 2_000;
/** … and so long when the spaces of a group are tried one by one, since one of them is held up. */
const SHORT_LOCK_TIMEOUT_MS = 200;

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  /** In the making. */
  readonly batches: Promise<readonly PackedBatch[]>;
  readonly resolve: (value: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The appends of this replica, in groups of one statement: what came while others were under way goes together
 * in the next (`WriteQueue`). A space whose rows somebody else's transaction holds is found out by trying each
 * space of the group alone. From then on it goes alone, one append at a time while others of it are refused,
 * until one has passed: so it holds up nobody else.
 */
export class EventWriter {
  readonly #appender: BatchAppender;
  readonly #queue: WriteQueue<Waiting>;
  /** Spaces that are held up, and whether an append of theirs is being tried. */
  readonly #heldUp = new Map<string, boolean>();
  readonly #underWay = new Set<Promise<void>>();
  #busyLanes = 0;
  /** Bytes of the groups under way. */
  #busyBytes = 0;
  /** Until then a second group gathers; of the process's monotonic clock. */
  #gathersUntil = 0;
  #gathering: NodeJS.Timeout | null = null;
  #scheduled = false;
  #open = true;

  /** @param queueBytes how many bytes of events may wait before more are refused as overloaded. */
  constructor(pool: Pool, queueBytes: number) {
    this.#appender = new BatchAppender(pool);
    this.#queue = new WriteQueue(queueBytes);
  }

  /** See `EventStore.append`. */
  async append(batches: readonly EventBatch[]): Promise<Appended> {
    if (!this.#open)
      throw new StorageUnavailable('unwritable', { cause: new Error('the store is closed') });
    for (const batch of batches) checkBatch(batch);
    const room = { owner: batches[0]?.spaceId ?? SERVICE, bytes: sizeOf(batches) };
    this.#queue.admit(room);
    const packed = Promise.all(batches.map(packBatch));
    // It is heard when the group is made, which may be later.
    packed.catch(() => {});
    const { promise, resolve, reject } = Promise.withResolvers<Appended>();
    this.#queue.add({ ...room, batches: packed, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Finishes what waits, and refuses what comes after it. */
  async close(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#gathering ?? undefined);
    do {
      this.#fillLanes();
      await Promise.all(this.#underWay);
    } while (this.#underWay.size > 0 || !this.#queue.isEmpty);
  }

  /** Begins at the end of this turn of the event loop, so that what arrived together goes together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#fillLanes();
    });
  }

  #fillLanes(): void {
    while (this.#mayStart()) {
      const group = this.#queue.takeGroup(MOST_REQUESTS);
      const bytes = group.reduce((sum, one) => sum + one.bytes, 0);
      this.#busyLanes += 1;
      this.#busyBytes += bytes;
      this.#gathersUntil = performance.now() + GATHER_MS;
      this.#start(async () => {
        await this.#runGroup(group);
        this.#busyLanes -= 1;
        this.#busyBytes -= bytes;
        this.#schedule();
      });
    }
    if (this.#queue.isEmpty || this.#busyLanes >= LANES) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#fillLanes();
    }, GATHER_MS);
  }

  #mayStart(): boolean {
    if (this.#queue.isEmpty || this.#busyLanes >= LANES) return false;
    const isAsLarge = this.#queue.waitingBytes >= 2 * this.#busyBytes;
    return this.#busyLanes === 0 || isAsLarge || performance.now() >= this.#gathersUntil;
  }

  #start(run: () => Promise<void>): void {
    const done = run().finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const { free = [], heldUp = [] } = Object.groupBy(group, ({ owner }) =>
      this.#heldUp.has(owner) ? 'heldUp' : 'free',
    );
    for (const one of heldUp) this.#start(() => this.#tryHeldUp(one));
    const error = await this.#write(free, LOCK_TIMEOUT_MS);
    if (error === null) return;
    if (isLockTimeout(error)) await this.#findHeldUp(free, error);
    else if (error instanceof StorageUnavailable || free.length === 1) this.#fail(free, error);
    // Whatever is wrong with one of them, it is to fail nobody else.
    else for (const one of free) await this.#writeOrFail([one]);
  }

  /** One append of a space that is held up; others that come meanwhile are refused. */
  async #tryHeldUp(one: Waiting): Promise<void> {
    if (this.#heldUp.get(one.owner) === true)
      return this.#fail([one], new StorageUnavailable('overloaded'));
    this.#heldUp.set(one.owner, true);
    const error = await this.#write([one], LOCK_TIMEOUT_MS);
    if (error !== null) this.#fail([one], error);
    if (isLockTimeout(error)) this.#heldUp.set(one.owner, false);
    else this.#heldUp.delete(one.owner);
  }

  async #findHeldUp(group: readonly Waiting[], error: unknown): Promise<void> {
    const spaces = Map.groupBy(group, ({ owner }) => owner);
    for (const [owner, own] of spaces) {
      const failure = spaces.size === 1 ? error : await this.#write(own, SHORT_LOCK_TIMEOUT_MS);
      if (failure === null) continue;
      if (isLockTimeout(failure) && !this.#heldUp.has(owner)) this.#heldUp.set(owner, false);
      this.#fail(own, failure);
    }
  }

  async #writeOrFail(group: readonly Waiting[]): Promise<void> {
    const error = await this.#write(group, LOCK_TIMEOUT_MS);
    if (error !== null) this.#fail(group, error);
  }

  /** Answers all of them and gives null, or gives why that cannot be, and has answered none. */
  async #write(group: readonly Waiting[], lockTimeoutMs: number): Promise<unknown> {
    try {
      const packed = await Promise.all(group.map(({ batches }) => batches));
      const batches = packed.flat();
      const kept =
        batches.length === 0
          ? []
          : await retryOnce(() => this.#appender.append(batches, lockTimeoutMs));
      let at = 0;
      for (const [index, one] of group.entries()) {
        let stored = 0;
        for (const _ of packed[index] ?? []) stored += kept[at++] ?? 0;
        this.#queue.release(one);
        one.resolve({ stored });
      }
      return null;
    } catch (error) {
      return error;
    }
  }

  #fail(group: readonly Waiting[], error: unknown): void {
    for (const one of group) {
      this.#queue.release(one);
      one.reject(error);
    }
  }
}

import { FairQueue } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';

/**
 * Maximum size of a group if a commit takes up to a millisecond, while one space writes and while several spaces write. Executing 256 KiB of
 * events takes about a millisecond, and a write waits for the running group.
 */
const GROUP_BYTES = 1024 * 1024;
const SHARED_GROUP_BYTES = 256 * 1024;
/** On a disk with slow commits, the maximum grows with the time of a commit, at most by this factor. */
const MAX_GROWTH = 4;
/** Time in milliseconds for which the smaller maximum applies after the start, and after a group with writes of several spaces. */
const SHARED_FOR_MS = 10_000;
/** Owner of all writes other than events. The owner of an event is its space. */
export const SERVICE = '';
/** Maximum ratio of one space's waiting bytes to the free bytes of the queue. */
const SHARE = 3;

export interface GroupLimits {
  readonly maxWrites?: number;
  /** Usual time of a commit in milliseconds. Omitted: not known, so the maximum is the largest. */
  readonly commitMs?: number;
}

interface Queued {
  readonly owner: string;
  readonly bytes: number;
}

/**
 * A queue of writes with a limit on the bytes that are not on disk yet. A space that overloads the store delays only
 * its own events: groups take writes of all spaces in round-robin order, and the events of one space may fill at most
 * three quarters of the queue.
 */
export class WriteQueue<Write extends Queued> {
  readonly #queueBytes: number;
  readonly #now: () => number;
  readonly #waiting = new FairQueue<Write>();
  readonly #bytesOf = new Map<string, number>();
  #waitingBytes = 0;
  #queuedWrites = 0;
  #queuedBytes = 0;
  #sharedUntil: number;

  /** @param now returns a monotonic time in milliseconds. */
  constructor(queueBytes: number, now = () => performance.now()) {
    this.#queueBytes = queueBytes;
    this.#now = now;
    this.#sharedUntil = now() + SHARED_FOR_MS;
  }

  /** Size of the admitted writes that are not released yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Number of writes that no group has taken yet. */
  get queuedWrites(): number {
    return this.#queuedWrites;
  }

  /** Size of the writes that no group has taken yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get isEmpty(): boolean {
    return this.#waiting.isEmpty;
  }

  /** Returns `true` if a write of this owner is waiting. */
  has(owner: string): boolean {
    return this.#waiting.lengthOf(owner) > 0;
  }

  /** Applies the smaller maximum of a group for a while, because several spaces are writing. */
  noteSharing(): void {
    this.#sharedUntil = this.#now() + SHARED_FOR_MS;
  }

  /**
   * Reserves the bytes of a write. A write of any size is admitted if no events are waiting and three quarters of the queue
   * are free, because small writes of the service must not delay it. Throws `StorageUnavailable` if the queue is full.
   */
  admit({ owner, bytes }: Queued): void {
    const own = this.#bytesOf.get(owner) ?? 0;
    const left = this.#queueBytes - this.#waitingBytes;
    const isAlmostEmpty =
      this.#bytesOf.size === 0 && (SHARE + 1) * left >= SHARE * this.#queueBytes;
    if ((!isAlmostEmpty && bytes > left) || (own > 0 && own + bytes > SHARE * left))
      throw new StorageUnavailable('overloaded');
    this.#waitingBytes += bytes;
    if (owner !== SERVICE) this.#bytesOf.set(owner, own + bytes);
  }

  add(write: Write): void {
    this.#queuedWrites += 1;
    this.#queuedBytes += write.bytes;
    this.#waiting.add(write.owner, write);
  }

  release({ owner, bytes }: Queued): void {
    this.#waitingBytes -= bytes;
    const own = (this.#bytesOf.get(owner) ?? bytes) - bytes;
    if (own > 0) this.#bytesOf.set(owner, own);
    else this.#bytesOf.delete(owner);
  }

  /** Removes and returns the next group of writes. The caller must release every write afterwards. */
  takeGroup({ maxWrites = Number.POSITIVE_INFINITY, commitMs }: GroupLimits): Write[] {
    const maxBytes = this.#maxBytes(commitMs);
    const group: Write[] = [];
    const spaces = new Set<string>();
    for (
      let bytes = 0;
      bytes < maxBytes && group.length < maxWrites;
      bytes += group.at(-1)?.bytes ?? 0
    ) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      this.#queuedWrites -= 1;
      this.#queuedBytes -= next.bytes;
      group.push(next);
      if (next.owner !== SERVICE) spaces.add(next.owner);
    }
    if (spaces.size > 1) this.noteSharing();
    return group;
  }

  #maxBytes(commitMs = Number.POSITIVE_INFINITY): number {
    const bytes = this.#now() < this.#sharedUntil ? SHARED_GROUP_BYTES : GROUP_BYTES;
    return bytes * Math.min(MAX_GROWTH, Math.max(1, commitMs));
  }
}

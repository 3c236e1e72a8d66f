import { FairQueue } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';

/** Size of a group. Groups are smaller while several spaces send: a new write waits for the current group and its own. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
const MAX_SHARED_GROUP_BYTES = 1024 * 1024;
/** Time after a group with several spaces during which groups stay small. */
const SHARED_FOR_MS = 1000;
/** Owner of writes other than the events of a space. */
export const SERVICE = '';
/** Maximum ratio of one space's waiting bytes to the bytes left for others. */
const SHARE = 3;

interface Queued {
  /** A space's id, or `SERVICE`. */
  readonly owner: string;
  /** Estimated memory while the write waits. */
  readonly bytes: number;
}

/**
 * A queue of writes, bounded in bytes until they are on disk. A space that sends more than the store can write delays
 * only itself: a group takes a write of each space in turn, and a space that holds three quarters of the free
 * bytes is rejected.
 */
export class WriteQueue<Write extends Queued> {
  readonly #queueBytes: number;
  readonly #waiting = new FairQueue<Write>();
  /** Bytes of events that are not on disk yet, by space. */
  readonly #bytesOf = new Map<string, number>();
  #waitingBytes = 0;
  /** Of the process's monotonic clock. */
  #sharedUntil = 0;

  /** @param queueBytes bytes of writes that may wait before more are rejected as overloaded. */
  constructor(queueBytes: number) {
    this.#queueBytes = queueBytes;
  }

  /** Bytes of writes that are not on disk yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get isEmpty(): boolean {
    return this.#waiting.isEmpty;
  }

  /**
   * Reserves the bytes of a write. A write of any size is admitted while nothing else waits, or it could never be
   * written. Throws `StorageUnavailable` if the queue is full.
   */
  admit({ owner, bytes }: Queued): void {
    const own = this.#bytesOf.get(owner) ?? 0;
    const left = this.#queueBytes - this.#waitingBytes;
    if ((this.#waitingBytes > 0 && bytes > left) || (own > 0 && own + bytes > SHARE * left))
      throw new StorageUnavailable('overloaded');
    this.#waitingBytes += bytes;
    if (owner !== SERVICE) this.#bytesOf.set(owner, own + bytes);
  }

  /** Adds an admitted write. */
  add(write: Write): void {
    this.#waiting.add(write.owner, write);
  }

  /** Releases the bytes of a write that is on disk or failed. */
  release({ owner, bytes }: Queued): void {
    this.#waitingBytes -= bytes;
    const own = (this.#bytesOf.get(owner) ?? bytes) - bytes;
    if (own > 0) this.#bytesOf.set(owner, own);
    else this.#bytesOf.delete(owner);
  }

  /** Removes and returns the next group of writes, each of which must be released afterwards. */
  takeGroup(mostWrites = Number.POSITIVE_INFINITY): Write[] {
    const now = performance.now();
    const most = now < this.#sharedUntil ? MAX_SHARED_GROUP_BYTES : MAX_GROUP_BYTES;
    const group: Write[] = [];
    const spaces = new Set<string>();
    for (
      let bytes = 0;
      bytes < most && group.length < mostWrites;
      bytes += group.at(-1)?.bytes ?? 0
    ) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      group.push(next);
      if (next.owner !== SERVICE) spaces.add(next.owner);
    }
    if (spaces.size > 1) this.#sharedUntil = now + SHARED_FOR_MS;
    return group;
  }
}

import { FairQueue } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';

/** Whoever comes anew waits for the group under way, and for its own: so they are smaller while several spaces send. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
const MAX_SHARED_GROUP_BYTES = 1024 * 1024;
/** How long spaces that were in one group are taken to go on sending. */
const SHARED_FOR_MS = 1000;
/** Whose writes they are that belong to no space's events. */
export const SERVICE = '';
/** One space's events may take so many times the room that they leave to others. */
const SHARE = 3;

interface Queued {
  /** The space whose events they are, or `SERVICE`. */
  readonly owner: string;
  /** About the memory that it takes while it waits. */
  readonly bytes: number;
}

/**
 * Writes that wait for the store, within a bound of bytes that holds until they are on disk. A space that sends
 * more than the store takes has itself to wait for: a group takes a write of each space in turn, and where one
 * has three quarters of the room, it is that one which is refused.
 */
export class WriteQueue<Write extends Queued> {
  readonly #queueBytes: number;
  readonly #waiting = new FairQueue<Write>();
  /** Bytes of events that are not on disk yet, by space. */
  readonly #bytesOf = new Map<string, number>();
  #waitingBytes = 0;
  /** Of the process's monotonic clock. */
  #sharedUntil = 0;

  /** @param queueBytes how many bytes of writes may wait before more are refused as overloaded. */
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
   * Takes the room of a write. Whatever its size, one is let in when nothing else waits: it could never be
   * written else. Throws `StorageUnavailable` when there is no room.
   */
  admit({ owner, bytes }: Queued): void {
    const own = this.#bytesOf.get(owner) ?? 0;
    const left = this.#queueBytes - this.#waitingBytes;
    if ((this.#waitingBytes > 0 && bytes > left) || (own > 0 && own + bytes > SHARE * left))
      throw new StorageUnavailable('overloaded');
    this.#waitingBytes += bytes;
    if (owner !== SERVICE) this.#bytesOf.set(owner, own + bytes);
  }

  /** Has a write that was admitted wait for its turn. */
  add(write: Write): void {
    this.#waiting.add(write.owner, write);
  }

  /** Gives back the room of a write that is on disk, or failed. */
  leave({ owner, bytes }: Queued): void {
    this.#waitingBytes -= bytes;
    const own = (this.#bytesOf.get(owner) ?? bytes) - bytes;
    if (own > 0) this.#bytesOf.set(owner, own);
    else this.#bytesOf.delete(owner);
  }

  /** Takes what is to be written next, together; nothing when nothing waits. Each of it must `leave` in the end. */
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

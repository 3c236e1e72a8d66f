import type { Totals } from '../deliveries/delivery.repository.ts';
import type { PendingDelivery } from '../deliveries/pending.ts';
import type { Changes } from './changes.ts';
import type { Shares } from './shares.ts';

/** Rows of one subscription, waiting and parked ones, beyond which nothing further is read. */
export const MAX_KEPT = 10_000;
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** Whether so much is kept that nothing further is to be read. */
export function isTooMuch({ waiting, parked, bytes }: Totals): boolean {
  return waiting + parked >= MAX_KEPT || bytes >= MAX_KEPT_BYTES;
}

/** Events in memory that are not done, and what their texts may take. */
const MAX_OPEN = 4096;
const MAX_OPEN_BYTES = 8 * 1024 * 1024;

/** What was read and is not done: in memory alone (`open`), or with a row (`kept`). */
export class Backlog {
  readonly #changes: Changes;
  readonly #shares: Shares;
  /** Positions of what has no row, in their order. */
  readonly #open = new Set<number>();
  #textBytes = 0;
  #waiting: number;
  #parked: number;
  #keptBytes: number;
  #closed = false;
  /** What has a row in the store, as far as is known. */
  #stored: Totals;
  /** Up to here everything was read. */
  readThrough: number;

  constructor(changes: Changes, shares: Shares, position: number, totals: Totals) {
    this.#changes = changes;
    this.#shares = shares;
    this.#waiting = totals.waiting;
    this.#parked = totals.parked;
    this.#keptBytes = totals.bytes;
    this.#stored = totals;
    this.readThrough = position;
  }

  /** Everything up to here is done with, or has a row. */
  get position(): number {
    const [first] = this.#open;
    return first === undefined ? this.readThrough : first - 1;
  }

  /** Whether so much is kept that nothing further is to be read. */
  get isHeld(): boolean {
    return isTooMuch(this.totals);
  }

  /** What has a row. */
  get totals(): Totals {
    return { waiting: this.#waiting, parked: this.#parked, bytes: this.#keptBytes };
  }

  get hasRoom(): boolean {
    return (
      !this.isHeld &&
      this.#open.size < MAX_OPEN &&
      this.#textBytes < MAX_OPEN_BYTES &&
      !(this.#shares.isFull && this.#open.size > 0)
    );
  }

  /** An event that was read. */
  add(item: PendingDelivery): void {
    this.#open.add(item.position);
    this.#textBytes += item.bytes;
    this.#shares.bytes += item.bytes;
  }

  /** It gets a row, and the position may pass it. */
  keep(item: PendingDelivery, now: number): void {
    item.waitingSince = now;
    item.nextAttemptAt = now;
    this.#changes.save(item);
    this.#open.delete(item.position);
    this.#waiting += 1;
    this.#keptBytes += item.bytes;
  }

  /** What waited is parked. */
  park(): void {
    this.#waiting -= 1;
    this.#parked += 1;
  }

  /** What was counted at a moment is in the store. */
  saved(totals: Totals): void {
    this.#stored = totals;
  }

  /** Others sent some again or deleted some: this is in the store, without what is yet to be saved. */
  found(stored: Totals): void {
    this.#waiting += stored.waiting - this.#stored.waiting;
    this.#parked += stored.parked - this.#stored.parked;
    this.#keptBytes += stored.bytes - this.#stored.bytes;
    this.#stored = stored;
  }

  /** It is done. */
  finish(item: PendingDelivery): void {
    if (item.row === 'none') this.#open.delete(item.position);
    else {
      this.#changes.remove(item);
      this.#waiting -= 1;
      this.#keptBytes -= item.bytes;
    }
    this.release(item);
  }

  /** Its text leaves the memory. */
  release(item: PendingDelivery): void {
    if (item.text === null || this.#closed) return;
    item.text = null;
    this.#textBytes -= item.bytes;
    this.#shares.bytes -= item.bytes;
  }

  /** Nothing of it stays in memory. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#shares.bytes -= this.#textBytes;
  }
}

import type { Attempt } from '../deliveries/attempt-log.ts';
import type { Checkpoint } from '../deliveries/checkpoint.repository.ts';
import type { Totals } from '../deliveries/delivery.repository.ts';
import {
  fromRow,
  type PendingDelivery,
  type StoredDelivery,
} from '../deliveries/pending-delivery.ts';
import type { ReplayProgress } from '../replays/replay-progress.ts';
import type { EventPage } from './event-pages.ts';
import { type LaneItem, Lanes } from './lanes.ts';
import { type AttemptFailure, recordFailure } from './retry.rules.ts';
import { RowChanges } from './row-changes.ts';
import type { SharedCapacity } from './shared-capacity.ts';

/** Number of waiting and parked deliveries at which a subscription stops reading events. */
export const MAX_ROWS = 10_000;
export const MAX_ROW_BYTES = 256 * 1024 * 1024;

export function isOverRowLimit({ waiting, parked, bytes }: Totals): boolean {
  return waiting + parked >= MAX_ROWS || bytes >= MAX_ROW_BYTES;
}

/** Maximum number of deliveries without a row. */
const MAX_UNSTORED = 4096;
/** Maximum size of all texts in memory. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

export interface BacklogOptions {
  readonly capacity: SharedCapacity;
  readonly position: number;
  readonly totals: Totals;
  /** Positions after `position` whose deliveries have a stored row. */
  readonly stored: readonly number[];
  /** Positions of discarded deliveries that still have a row. */
  readonly discarded: readonly number[];
  readonly waiting: readonly StoredDelivery[];
  readonly replay?: ReplayProgress | null;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * The unfinished deliveries of one subscription. A delivery without a database row exists only in memory, so `position`
 * stays before that delivery. A delivery gets a row when an attempt to send this delivery or an earlier delivery of its
 * lane fails.
 */
export class Backlog {
  readonly lanes = new Lanes();
  readonly changes = new RowChanges();
  readonly #capacity: SharedCapacity;
  readonly #replay: ReplayProgress | null;
  /** Positions of stored deliveries whose events are still to be read. */
  readonly #stored: Set<number>;
  #discarded: readonly number[];
  /** Positions of deliveries without a row, in ascending order. */
  readonly #unstored = new Set<number>();
  /** Positions of deliveries whose row is not saved yet. */
  readonly #unsaved = new Set<number>();
  #readThrough: number;
  /** Highest position of a finished delivery, except for replays. */
  #finishedThrough = 0;
  #textBytes = 0;
  #totals: Totals;
  #snapshotTotals: Totals;
  /** Totals at the last snapshot that was stored. */
  #storedTotals: Totals;
  #closed = false;

  constructor(options: BacklogOptions) {
    const { capacity, position, totals, stored, discarded, waiting, replay, now } = options;
    this.#replay = replay ?? null;
    this.#capacity = capacity;
    this.#readThrough = position;
    this.#totals = totals;
    this.#snapshotTotals = totals;
    this.#storedTotals = totals;
    this.#stored = new Set(stored);
    this.#discarded = discarded;
    for (const row of waiting) this.lanes.add(fromRow(row), now);
  }

  /** Every event up to this position is finished or has a row. A checkpoint saves this position together with the unsaved rows. */
  get position(): number {
    const [first] = this.#unstored;
    return first === undefined ? this.#readThrough : first - 1;
  }

  /** Every event up to this position is finished or has a stored row. */
  get settledThrough(): number {
    return [...this.#unsaved].reduce((lowest, one) => Math.min(lowest, one - 1), this.position);
  }

  get readThrough(): number {
    return this.#readThrough;
  }

  /** Totals of all delivery rows, including unsaved changes. */
  get totals(): Totals {
    return this.#totals;
  }

  get hasCapacity(): boolean {
    return (
      !isOverRowLimit(this.#totals) &&
      this.#unstored.size < MAX_UNSTORED &&
      this.#textBytes < MAX_TEXT_BYTES &&
      !(this.#capacity.isMemoryFull && this.#unstored.size > 0)
    );
  }

  addPage({ items, through }: EventPage, now: number): void {
    for (const item of items) {
      if (this.#stored.delete(item.position)) continue;
      this.#unstored.add(item.position);
      this.#addTextBytes(item.bytes);
      if (this.lanes.hasRows(item.key)) this.#addRow(item, now);
      this.lanes.add(item, now);
    }
    this.#readThrough = through;
  }

  /**
   * Adds events of the replay.
   *
   * @param through last position that was read.
   */
  addReplayPage(items: readonly PendingDelivery[], through: number, now: number): void {
    this.#replay?.addPage(items, through);
    for (const item of items) {
      this.#addTextBytes(item.bytes);
      if (this.lanes.hasRows(item.key)) this.#addRow(item, now);
      this.lanes.add(item, now);
    }
  }

  finish({ lane, item }: LaneItem, now: number): void {
    this.lanes.finish(lane, now);
    if (!item.isReplayed) this.#finishedThrough = Math.max(this.#finishedThrough, item.position);
    if (item.row === 'none') this.#removeUnstored(item);
    else {
      this.changes.delete(item);
      this.#unsaved.delete(item.position);
      this.#count({ waiting: -1, parked: 0, bytes: -item.bytes });
    }
    this.#releaseText(item);
  }

  /**
   * Creates rows for the unfinished deliveries before the last finished one. The position then includes all finished deliveries.
   * Must be called only before the backlog closes, because a lane can then contain deliveries with and without rows.
   */
  storeUnfinished(now: number): void {
    for (const item of [...this.lanes.unstored()])
      if (!item.isReplayed && item.position < this.#finishedThrough) this.#addRow(item, now);
  }

  /** Records a failed attempt. Schedules a retry or parks the delivery, and creates rows for its whole lane. */
  fail(
    { lane, item }: LaneItem,
    failure: AttemptFailure,
    log: readonly Attempt[],
    random: number,
  ): void {
    const { at: now } = failure;
    item.log = log;
    for (const each of lane.items) if (each.row === 'none') this.#addRow(each, now);
    recordFailure(item, failure, random);
    this.changes.upsert(item);
    if (item.state === 'waiting') this.lanes.retry(lane, now);
    else {
      this.lanes.finish(lane, now);
      this.#count({ waiting: -1, parked: 1, bytes: 0 });
    }
  }

  /**
   * Applies external changes of rows: resent, rescheduled and deleted deliveries.
   *
   * @param before the deliveries with stored rows, listed before reading `waiting`.
   * @param totals the stored totals, without unsaved changes.
   * @param waiting the stored rows.
   */
  sync(
    before: readonly LaneItem[],
    { totals, waiting, discarded }: Pick<BacklogOptions, 'totals' | 'waiting' | 'discarded'>,
    now: number,
  ): void {
    this.#discarded = discarded;
    this.#count({
      waiting: totals.waiting - this.#storedTotals.waiting,
      parked: totals.parked - this.#storedTotals.parked,
      bytes: totals.bytes - this.#storedTotals.bytes,
    });
    this.#storedTotals = totals;
    const rows = new Map(waiting.map((row) => [row.position, row]));
    for (const known of before) {
      const { item } = known;
      const row = rows.get(item.position);
      if (row === undefined) this.lanes.remove(known, now);
      else if (row.resent === item.resent) {
        rows.delete(item.position);
        if (item.storedTimes.includes(row.next_attempt_at)) continue;
        item.storedTimes = [row.next_attempt_at];
        this.lanes.retryAt(known, row.next_attempt_at, now);
      }
    }
    // A delivery that finished after the checkpoint still has a row.
    const { positions } = this.changes;
    for (const row of rows.values())
      if (!positions.has(row.position)) this.lanes.add(fromRow(row), now);
  }

  /** Returns the position and the discarded deliveries for a checkpoint and remembers the current totals for `onSaved`. */
  snapshot(): Pick<Checkpoint, 'position' | 'discarded'> {
    this.#snapshotTotals = this.#totals;
    const { position } = this;
    return { position, discarded: this.#discarded.filter((one) => one <= position) };
  }

  /** Must be called when the last snapshot is stored. Releases the texts that are stored in rows. */
  onSaved({
    added,
    changed,
    discarded,
  }: Pick<Checkpoint, 'added' | 'changed' | 'discarded'>): void {
    this.#storedTotals = this.#snapshotTotals;
    if (discarded.length > 0) {
      const removed = new Set(discarded);
      this.#discarded = this.#discarded.filter((one) => !removed.has(one));
    }
    for (const item of added) {
      this.#unsaved.delete(item.position);
      this.#releaseText(item);
    }
    for (const item of [...added, ...changed]) if (!this.changes.has(item)) item.log = null;
  }

  close(): void {
    if (this.#closed) return;
    this.#addTextBytes(-this.#textBytes);
    this.#closed = true;
  }

  #addRow(item: PendingDelivery, now: number): void {
    item.waitingSince = now;
    item.nextAttemptAt = now;
    this.changes.upsert(item);
    this.#removeUnstored(item);
    if (!item.isReplayed) this.#unsaved.add(item.position);
    this.#count({ waiting: 1, parked: 0, bytes: item.bytes });
  }

  #removeUnstored(item: PendingDelivery): void {
    if (item.isReplayed) this.#replay?.remove(item);
    else this.#unstored.delete(item.position);
  }

  #count({ waiting, parked, bytes }: Totals): void {
    this.#totals = {
      waiting: this.#totals.waiting + waiting,
      parked: this.#totals.parked + parked,
      bytes: this.#totals.bytes + bytes,
    };
  }

  #releaseText(item: PendingDelivery): void {
    if (item.text === null || this.#closed) return;
    item.text = null;
    this.#addTextBytes(-item.bytes);
  }

  #addTextBytes(bytes: number): void {
    this.#textBytes += bytes;
    this.#capacity.textBytes += bytes;
  }
}

import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import { isDue, wasSetBack } from './retry.rules.ts';

/** Deliveries with the same source and subject, sent one at a time in event order. */
export interface Lane {
  readonly key: string;
  /** Either every item has a row or no item has a row. */
  readonly items: PendingDelivery[];
  inFlight: boolean;
}

export interface LaneItem {
  readonly lane: Lane;
  readonly item: PendingDelivery;
}

/**
 * The pending deliveries of one subscription. A lane is in one of four states:
 *
 * - new: the first delivery was never attempted. `replay` is the same state for replayed deliveries. `start` → in flight
 * - waiting: the retry time of the first delivery is in the future. `promoteDue` → due
 * - due: the retry time has passed. `start` → in flight
 * - in flight: the first delivery is being sent. `finish` → new, waiting, due or deleted. `retry` → waiting
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #new = new Set<Lane>();
  readonly #replayed = new Set<Lane>();
  readonly #due = new Set<Lane>();
  readonly #waiting = new Set<Lane>();
  /** A lower bound of the retry times of all waiting lanes. */
  #nextDueAt = Number.POSITIVE_INFINITY;
  /** Time of the last call of `promoteDue`. */
  #promotedAt = Number.NEGATIVE_INFINITY;

  get ready(): number {
    return this.#new.size + this.#due.size;
  }

  /** Number of lanes whose first delivery is replayed and was never attempted. */
  get replayed(): number {
    return this.#replayed.size;
  }

  /** Earliest time since which a delivery with a row waits, or `null`. Looks only at the first delivery of each lane, because the others wait for it. */
  get waitingSince(): number | null {
    let earliest: number | null = null;
    for (const { items } of this.#lanes.values()) {
      const [first] = items;
      if (first === undefined || first.row === 'none') continue;
      earliest = Math.min(earliest ?? first.waitingSince, first.waitingSince);
    }
    return earliest;
  }

  hasRows(key: string): boolean {
    const [first] = this.#lanes.get(key)?.items ?? [];
    return first !== undefined && first.row !== 'none';
  }

  /** Inserts a delivery by position. Does nothing if the delivery is already in its lane. */
  add(item: PendingDelivery, now: number): void {
    const lane = this.#lanes.get(item.key);
    if (lane === undefined) {
      const created = { key: item.key, items: [item], inFlight: false };
      this.#lanes.set(item.key, created);
      this.#classify(created, now);
      return;
    }
    const { items, inFlight } = lane;
    const before = items.findLastIndex(({ position }) => position <= item.position);
    // A delivery in flight stays first, even if the new delivery has a lower position.
    if ([items[before], items[0]].some((known) => known?.position === item.position)) return;
    items.splice(inFlight ? Math.max(1, before + 1) : before + 1, 0, item);
    if (before === -1 && !inFlight) this.#classify(lane, now);
  }

  /** Marks the next lane in a state as in flight and returns the lane with its first delivery. */
  start(which: 'new' | 'due' | 'replay'): LaneItem | undefined {
    const ready = { new: this.#new, due: this.#due, replay: this.#replayed }[which];
    const [lane] = ready;
    const [item] = lane?.items ?? [];
    if (lane === undefined || item === undefined) return undefined;
    ready.delete(lane);
    lane.inFlight = true;
    return { lane, item };
  }

  finish(lane: Lane, now: number): void {
    lane.items.shift();
    this.retry(lane, now);
  }

  /** Schedules the delivery that was in flight to be sent again at its `nextAttemptAt`. */
  retry(lane: Lane, now: number): void {
    lane.inFlight = false;
    this.#classify(lane, now);
  }

  promoteDue(now: number): void {
    const isEarlier = wasSetBack(this.#promotedAt, now);
    this.#promotedAt = now;
    if (now < this.#nextDueAt && !isEarlier) return;
    this.#nextDueAt = Number.POSITIVE_INFINITY;
    for (const lane of [...this.#waiting]) this.#classify(lane, now);
  }

  /** Moves the retries of all waiting lanes to random times within `withinMs`, but not before their `notBefore`. */
  retrySoon(now: number, withinMs: number, random: () => number): void {
    for (const { items } of this.#waiting) {
      const [first] = items;
      if (first === undefined) continue;
      const soon = Math.max(now + random() * withinMs, first.notBefore);
      first.nextAttemptAt = Math.min(first.nextAttemptAt, soon);
    }
    this.#nextDueAt = now;
  }

  *unstored(): Generator<PendingDelivery> {
    for (const { items } of this.#lanes.values())
      for (const item of items) if (item.row === 'none') yield item;
  }

  *stored(): Generator<LaneItem> {
    for (const lane of this.#lanes.values())
      for (const item of lane.items) if (item.row === 'stored') yield { lane, item };
  }

  /** Moves the next attempt of a delivery to `at` if that is earlier. */
  retryAt({ lane, item }: LaneItem, at: number, now: number): void {
    if (item.nextAttemptAt <= at) return;
    item.nextAttemptAt = at;
    if (!lane.inFlight && lane.items[0] === item) this.#classify(lane, now);
  }

  /** Removes a delivery. A delivery in flight is marked as deleted and removed when its attempt ends. */
  remove({ lane, item }: LaneItem, now: number): void {
    const index = lane.items.indexOf(item);
    if (index === -1) return;
    if (lane.inFlight && index === 0) {
      item.deleted = true;
      return;
    }
    lane.items.splice(index, 1);
    if (!lane.inFlight) this.#classify(lane, now);
  }

  #classify(lane: Lane, now: number): void {
    for (const state of [this.#new, this.#replayed, this.#due, this.#waiting]) state.delete(lane);
    const [first] = lane.items;
    if (first === undefined) this.#lanes.delete(lane.key);
    else if (first.row === 'none') (first.isReplayed ? this.#replayed : this.#new).add(lane);
    else if (isDue(first, now)) this.#due.add(lane);
    else {
      this.#waiting.add(lane);
      this.#nextDueAt = Math.min(this.#nextDueAt, first.nextAttemptAt);
    }
  }
}

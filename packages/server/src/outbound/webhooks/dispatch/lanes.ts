import type { PendingDelivery } from '../deliveries/pending.ts';

/** The deliveries of one (source, subject), of which one is under way at a time. */
export interface Lane {
  readonly key: string;
  /** In order. Either all of them have a row or none has. */
  readonly items: PendingDelivery[];
  busy: boolean;
}

/**
 * What a subscription has still to deliver, in order within each lane. A lane is in one of four states:
 *
 * - new: its first was never tried, and may be. → busy
 * - waiting: its first is tried again at a certain time. Then → due
 * - due: its first may be tried again. → busy
 * - busy: its first is under way. `done` → new, due, or gone; `again` → waiting
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #new = new Set<Lane>();
  readonly #due = new Set<Lane>();
  readonly #waiting = new Set<Lane>();
  /** No lane that waits is due before. */
  #nextDue = Number.POSITIVE_INFINITY;

  /** How many may begin. */
  get ready(): number {
    return this.#new.size + this.#due.size;
  }

  /** Whether what is in the lane has rows. */
  isKept(key: string): boolean {
    const [first] = this.#lanes.get(key)?.items ?? [];
    return first !== undefined && first.row !== 'none';
  }

  /** False when it is there already. */
  add(item: PendingDelivery, now: number): boolean {
    const known = this.#lanes.get(item.key);
    if (known === undefined) {
      const lane = { key: item.key, items: [item], busy: false };
      this.#lanes.set(item.key, lane);
      this.#place(lane, now);
      return true;
    }
    const { items, busy } = known;
    const placeOf = (at: number) => items[at]?.position ?? 0;
    let at = items.length;
    while (at > 0 && placeOf(at - 1) > item.position) at -= 1;
    if (at > 0 && placeOf(at - 1) === item.position) return false;
    // What is under way stays the first.
    items.splice(busy ? Math.max(1, at) : at, 0, item);
    if (at === 0 && !busy) this.#place(known, now);
    return true;
  }

  /** The lane whose turn it is among the new or the due ones; it is busy then. */
  take(which: 'new' | 'due'): Lane | undefined {
    const ready = which === 'new' ? this.#new : this.#due;
    const [lane] = ready;
    if (lane === undefined) return undefined;
    ready.delete(lane);
    lane.busy = true;
    return lane;
  }

  /** The first of a busy lane is done with. */
  done(lane: Lane, now: number): void {
    lane.busy = false;
    lane.items.shift();
    this.#place(lane, now);
  }

  /** The first of a busy lane is tried again at its `nextAttemptAt`. */
  again(lane: Lane, now: number): void {
    lane.busy = false;
    this.#place(lane, now);
  }

  /** Lanes whose time has come are due now. */
  tick(now: number): void {
    if (now < this.#nextDue) return;
    this.#nextDue = Number.POSITIVE_INFINITY;
    for (const lane of [...this.#waiting]) this.#place(lane, now);
  }

  /** Brings forward all that wait, but for what a target asked for, over a time of up to `within`. */
  hurry(now: number, within: number, random: () => number): void {
    for (const { items } of this.#waiting) {
      const [first] = items;
      if (first === undefined) continue;
      const soon = Math.max(now + random() * within, first.notBefore);
      first.nextAttemptAt = Math.min(first.nextAttemptAt, soon);
    }
    this.#nextDue = now;
  }

  /** Those that have a row. */
  *kept(): Generator<{ readonly lane: Lane; readonly item: PendingDelivery }> {
    for (const lane of this.#lanes.values())
      for (const item of lane.items) if (item.row === 'kept') yield { lane, item };
  }

  /** Lets a delivery be tried at this time if that is earlier. */
  bringForward(lane: Lane, item: PendingDelivery, to: number, now: number): void {
    if (item.nextAttemptAt <= to) return;
    item.nextAttemptAt = to;
    if (!lane.busy && lane.items[0] === item) this.#place(lane, now);
  }

  /** Takes a delivery out; one that is under way goes when that has ended. */
  drop(lane: Lane, item: PendingDelivery, now: number): void {
    if (lane.busy && lane.items[0] === item) {
      item.dropped = true;
      return;
    }
    const place = lane.items.indexOf(item);
    if (place === -1) return;
    lane.items.splice(place, 1);
    if (!lane.busy) this.#place(lane, now);
  }

  #place(lane: Lane, now: number): void {
    for (const state of [this.#new, this.#due, this.#waiting]) state.delete(lane);
    const [first] = lane.items;
    if (first === undefined) this.#lanes.delete(lane.key);
    else if (first.row === 'none') this.#new.add(lane);
    else if (first.nextAttemptAt <= now) this.#due.add(lane);
    else {
      this.#waiting.add(lane);
      this.#nextDue = Math.min(this.#nextDue, first.nextAttemptAt);
    }
  }
}

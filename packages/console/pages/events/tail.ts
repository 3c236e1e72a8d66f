import type { FeedItem } from '@gatehouse/client';
import { type ListedEvent, toListed } from './listed-event.ts';

/** Time in milliseconds between two changes of the list. */
export const TICK_MS = 500;
const TICKS_PER_SECOND = 1000 / TICK_MS;
/** Maximum number of events that a tick adds to the list. */
const PER_TICK = 10;
/** Maximum number of events in the list. */
const MAX_ROWS = 100;

/** An event of the list. */
export interface TailRow {
  /** Identifies the row. */
  readonly key: number;
  readonly event: ListedEvent;
}

/** State of the list, for the page. */
export interface TailState {
  /** Newest first. */
  readonly rows: readonly TailRow[];
  /** Events that arrived in the last second. */
  readonly perSecond: number;
  /** Events of the last second that the list shows. */
  readonly shownPerSecond: number;
  /** Events that arrived since the list was paused. */
  readonly missed: number;
  readonly isPaused: boolean;
}

interface Second {
  readonly arrived: number;
  readonly shown: number;
}

/**
 * Collects live events between the ticks of a page. A fast stream is sampled: each tick shows only the newest events, so the work of the
 * page does not grow with the number of events.
 */
export class Tail {
  #rows: readonly TailRow[] = [];
  #fresh: FeedItem[] = [];
  #arrived = 0;
  #missed = 0;
  #isPaused = false;
  #ticks: readonly Second[] = [];
  #nextKey = 0;

  /** Shows events that were stored before, oldest first. They do not count as arrived. */
  start(items: readonly FeedItem[]): void {
    this.#rows = this.#toRows(items);
  }

  add(item: FeedItem): void {
    this.#arrived += 1;
    this.#fresh.push(item);
    if (this.#fresh.length > PER_TICK) this.#fresh.shift();
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#missed = 0;
  }

  /** Ends a tick and returns the new state. */
  tick(): TailState {
    const fresh = this.#isPaused ? [] : this.#fresh;
    if (this.#isPaused) this.#missed += this.#arrived;
    const tick = { arrived: this.#arrived, shown: fresh.length };
    this.#ticks = [...this.#ticks, tick].slice(-TICKS_PER_SECOND);
    this.#fresh = [];
    this.#arrived = 0;
    if (fresh.length > 0) this.#rows = [...this.#toRows(fresh), ...this.#rows].slice(0, MAX_ROWS);
    return {
      rows: this.#rows,
      perSecond: this.#ticks.reduce((sum, { arrived }) => sum + arrived, 0),
      shownPerSecond: this.#ticks.reduce((sum, { shown }) => sum + shown, 0),
      missed: this.#missed,
      isPaused: this.#isPaused,
    };
  }

  #toRows(items: readonly FeedItem[]): TailRow[] {
    return items
      .map((item) => {
        this.#nextKey += 1;
        return { key: this.#nextKey, event: toListed(item) };
      })
      .reverse();
  }
}

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { parse } from '../../lib/json/index.ts';
import { BackgroundWork } from '../../lib/scheduling/index.ts';
import {
  type EventFilter,
  type EventStore,
  matchesFilter,
  type StoredEvent,
} from '../../storage/ports/index.ts';
import type { Listener } from './listener.ts';
import { toChunk } from './live-text.rules.ts';

export interface TailOptions {
  readonly store: EventStore;
  readonly spaceId: string;
  /** Start position. Listeners that join have received all events up to the tail's position. */
  readonly position: number;
  /** Receives errors of reading the store. The read is retried after one second. */
  readonly onFailure: (error: unknown) => void;
}

interface Group {
  readonly filter: EventFilter;
  readonly listeners: Set<Listener>;
}

const EVENTS_PER_PAGE = 200;
/** Number of listeners to serve before yielding to other work. */
const LISTENERS_PER_ITERATION = 200;
const MAX_PAUSE_MS = 250;
const RETRY_MS = 1000;

/**
 * Sends new events to all listeners that are up to date. The tail reads appended events once, filters them once per filter, and sends the
 * same bytes to all listeners with the same filter.
 */
export class Tail {
  readonly #options: TailOptions;
  readonly #groups = new Map<string, Group>();
  readonly #work: BackgroundWork;
  #position: number;
  #moved = Promise.withResolvers<void>();

  constructor(options: TailOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#work = new BackgroundWork({
      step: () => this.#step(),
      onFailure: (error) => {
        options.onFailure(error);
        return RETRY_MS;
      },
    });
  }

  get position(): number {
    return this.#position;
  }

  /** Schedules a read of new events. */
  wake(): void {
    this.#work.wake();
  }

  moved(): Promise<void> {
    this.wake();
    return this.#moved.promise;
  }

  /** Adds a listener whose position equals the tail's position. */
  join(listener: Listener): void {
    const key = keyOf(listener.eventFilter);
    const group = this.#groups.get(key) ?? { filter: listener.eventFilter, listeners: new Set() };
    this.#groups.set(key, group);
    group.listeners.add(listener);
  }

  /** Removes a listener. Does nothing if the listener has not joined. */
  leave(listener: Listener): void {
    const key = keyOf(listener.eventFilter);
    const group = this.#groups.get(key);
    group?.listeners.delete(listener);
    if (group?.listeners.size === 0) this.#groups.delete(key);
  }

  close(): void {
    void this.#work.close();
  }

  async #step(): Promise<boolean> {
    const { store, spaceId } = this.#options;
    const { events, through, more } = await store.read({
      spaceId,
      after: this.#position,
      limit: EVENTS_PER_PAGE,
    });
    if (through > this.#position) {
      this.#moveTo(through);
      const busy = await this.#send(events, through);
      // Pauses for as long as sending took, so that sending uses at most half of the thread's time. Later events are sent together.
      const pause = Math.min(busy, MAX_PAUSE_MS);
      if (pause >= 1) await sleep(pause, null, { signal: this.#work.signal, ref: false });
    }
    return more;
  }

  /** Advances the position before events are sent, so that a listener that joins during sending does not receive them twice. */
  #moveTo(position: number): void {
    const moved = this.#moved;
    this.#moved = Promise.withResolvers();
    this.#position = position;
    moved.resolve();
  }

  /** Sends events to all listeners. Returns the milliseconds for which sending occupied the thread. */
  async #send(events: readonly StoredEvent[], through: number): Promise<number> {
    const parsed: Record<string, unknown>[] = [];
    const parsedAt = (place: number) => {
      parsed[place] ??= parse(events[place]?.text ?? '{}') as Record<string, unknown>;
      return parsed[place];
    };
    let busy = 0;
    let served = 0;
    let since = performance.now();
    for (const { filter, listeners } of this.#groups.values()) {
      const matching = isEmpty(filter)
        ? events
        : events.filter((_, place) => matchesFilter(filter, parsedAt(place)));
      const chunk = toChunk(matching);
      for (const listener of listeners) {
        listener.give(chunk, through);
        served += 1;
        if (served % LISTENERS_PER_ITERATION > 0) continue;
        busy += performance.now() - since;
        await setImmediate();
        since = performance.now();
      }
    }
    return busy + performance.now() - since;
  }
}

function isEmpty(filter: EventFilter): boolean {
  return Object.keys(filter).length === 0;
}

function keyOf({ type, source, subject }: EventFilter): string {
  return JSON.stringify([type, source, subject]);
}

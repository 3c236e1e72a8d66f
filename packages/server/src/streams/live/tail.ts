import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { parse } from '../../lib/json/index.ts';
import { BackgroundWork } from '../../lib/scheduling/index.ts';
import {
  type EventFilter,
  type EventStore,
  picks,
  type StoredEvent,
} from '../../storage/ports/index.ts';
import type { Listener } from './listener.ts';
import { toChunk } from './live-text.rules.ts';

export interface TailOptions {
  readonly store: EventStore;
  readonly spaceId: string;
  /** The listeners that join have been given everything up to here. */
  readonly position: number;
  /** Hears why the store could not be read; it is asked again in a second. */
  readonly onFailure: (error: unknown) => void;
}

interface Group {
  readonly wanted: EventFilter;
  readonly listeners: Set<Listener>;
}

const PAGE = 200;
/** Listeners that are given something before others have their turn on the thread. */
const AT_ONCE = 200;
const LONGEST_REST_MS = 250;
const RETRY_MS = 1000;

/**
 * The end of a space's feed, for all who have read up to it: reads what was appended once, picks once for each
 * filter, and gives all listeners of a filter the same bytes.
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

  /** Something may have been appended. */
  wake(): void {
    this.#work.wake();
  }

  /** Resolves when the position has changed. */
  moved(): Promise<void> {
    this.wake();
    return this.#moved.promise;
  }

  /** The listener must have got to the tail's position. */
  join(listener: Listener): void {
    const key = keyOf(listener.wanted);
    const group = this.#groups.get(key) ?? { wanted: listener.wanted, listeners: new Set() };
    this.#groups.set(key, group);
    group.listeners.add(listener);
  }

  /** Does nothing for one that has not joined. */
  leave(listener: Listener): void {
    const key = keyOf(listener.wanted);
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
      limit: PAGE,
    });
    if (through > this.#position) {
      this.#moveTo(through);
      const busy = await this.#tell(events, through);
      // So that listeners never take more than half of the thread, however many they are: what comes
      // meanwhile is told together.
      const rest = Math.min(busy, LONGEST_REST_MS);
      if (rest >= 1) await sleep(rest, null, { signal: this.#work.signal, ref: false });
    }
    return more;
  }

  /** Before anybody is told, so that who joins meanwhile is not told again what it has read for itself. */
  #moveTo(position: number): void {
    const moved = this.#moved;
    this.#moved = Promise.withResolvers();
    this.#position = position;
    moved.resolve();
  }

  /** Gives the milliseconds that it took the thread. */
  async #tell(events: readonly StoredEvent[], through: number): Promise<number> {
    const parsed: Record<string, unknown>[] = [];
    const parsedAt = (place: number) => {
      parsed[place] ??= parse(events[place]?.text ?? '{}') as Record<string, unknown>;
      return parsed[place];
    };
    let busy = 0;
    let told = 0;
    let since = performance.now();
    for (const { wanted, listeners } of this.#groups.values()) {
      const picked = hasNone(wanted)
        ? events
        : events.filter((_, place) => picks(wanted, parsedAt(place)));
      const chunk = toChunk(picked);
      for (const listener of listeners) {
        listener.give(chunk, through);
        told += 1;
        if (told % AT_ONCE > 0) continue;
        busy += performance.now() - since;
        await turn();
        since = performance.now();
      }
    }
    return busy + performance.now() - since;
  }
}

function hasNone(filter: EventFilter): boolean {
  return Object.keys(filter).length === 0;
}

function keyOf({ type, source, subject }: EventFilter): string {
  return JSON.stringify([type, source, subject]);
}

import type { Clock } from '../../lib/scheduling/index.ts';
import type { Rate, RateCounts } from '../ports/shared.ts';

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Of each kind; the oldest are forgotten first. An address or a person takes about 200 bytes. */
const MOST_KEYS = 100_000;

/** Counts of one process, for a service that is one. */
export function createMemoryRateCounts(clock: Clock): RateCounts {
  /** In the order in which they began. */
  const windows = new Map<string, Window>();
  const minutes = new RecentTimes(MOST_KEYS);

  function begin(key: string, window: Window, now: number): void {
    windows.delete(key);
    windows.set(key, window);
    for (const [other, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MOST_KEYS) break;
      windows.delete(other);
    }
  }

  return {
    countInWindow: async (rate, windowMs) => {
      const [key, now] = [keyOf(rate), clock()];
      const known = windows.get(key);
      // Of a clock that was set back, a window would last for as long as it was set back by.
      if (known !== undefined && known.endsAt > now && known.endsAt <= now + windowMs) {
        known.count += 1;
        return { count: known.count, endsInMs: known.endsAt - now };
      }
      begin(key, { count: 1, endsAt: now + windowMs }, now);
      return { count: 1, endsInMs: windowMs };
    },

    countInMinute: async (rates) => {
      const now = clock();
      for (const rate of rates) {
        const waitMs = minutes.wait(keyOf(rate), rate.max, now);
        if (waitMs > 0) return { rate, waitMs };
      }
      for (const rate of rates) minutes.add(keyOf(rate), now);
      return null;
    },
  };
}

function keyOf({ limit, key }: Rate): string {
  return `${limit} ${key}`;
}

const MINUTE_MS = 60_000;

/** When each of many did something in the last minute. Whoever has not for that long is forgotten. */
class RecentTimes {
  readonly #mostKeys: number;
  /** Oldest first, and so are the keys by their newest time. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(mostKeys: number) {
    this.#mostKeys = mostKeys;
  }

  /** Milliseconds until the last minute has fewer than `most` times of this key; 0: it has. */
  wait(key: string, most: number, now: number): number {
    const recent = this.#recent(key, now);
    const [oldest = now] = recent;
    return recent.length < most ? 0 : Math.max(1, oldest + MINUTE_MS - now);
  }

  add(key: string, now: number): void {
    const times = [...this.#recent(key, now), now];
    this.#times.delete(key);
    this.#times.set(key, times);
    for (const [other, others] of this.#times) {
      const isOver = (others.at(-1) ?? 0) <= now - MINUTE_MS;
      if (!isOver && this.#times.size <= this.#mostKeys) break;
      this.#times.delete(other);
    }
  }

  #recent(key: string, now: number): readonly number[] {
    return (this.#times.get(key) ?? []).filter((time) => time > now - MINUTE_MS);
  }
}

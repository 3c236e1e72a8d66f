import { type Clock, MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { Rate, RateCounts } from '../ports/shared.ts';

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Maximum number of windows and of sliding minutes. The oldest are evicted first. A key takes about 200 bytes. */
const MAX_KEYS = 100_000;

export function createMemoryRateCounts(clock: Clock): RateCounts {
  const windows = new Map<string, Window>();
  const minutes = new RecentTimes(MAX_KEYS);

  function start(key: string, window: Window, now: number): void {
    windows.delete(key);
    windows.set(key, window);
    for (const [other, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MAX_KEYS) break;
      windows.delete(other);
    }
  }

  return {
    countInWindow: async (rate, windowMs) => {
      const [key, now] = [keyOf(rate), clock()];
      const known = windows.get(key);
      // If the clock was set back, a window may end too late. Such a window is replaced.
      if (known !== undefined && known.endsAt > now && known.endsAt <= now + windowMs) {
        known.count += 1;
        return { count: known.count, endsInMs: known.endsAt - now };
      }
      start(key, { count: 1, endsAt: now + windowMs }, now);
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

class RecentTimes {
  readonly #maxKeys: number;
  /** Times per key, oldest first. Keys are ordered by their newest time. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  /** Returns the milliseconds until the sliding minute has fewer than `max` operations of a key, or 0 if it already does. */
  wait(key: string, max: number, now: number): number {
    const recent = this.#recent(key, now);
    const [oldest = now] = recent;
    return recent.length < max ? 0 : Math.max(1, oldest + MINUTE_MS - now);
  }

  add(key: string, now: number): void {
    const times = [...this.#recent(key, now), now];
    this.#times.delete(key);
    this.#times.set(key, times);
    for (const [other, others] of this.#times) {
      const isOver = (others.at(-1) ?? 0) <= now - MINUTE_MS;
      if (!isOver && this.#times.size <= this.#maxKeys) break;
      this.#times.delete(other);
    }
  }

  #recent(key: string, now: number): readonly number[] {
    return (this.#times.get(key) ?? []).filter((time) => time > now - MINUTE_MS);
  }
}

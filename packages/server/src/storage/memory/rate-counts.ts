import type { Clock } from '../../lib/scheduling/index.ts';
import type { Rate, RateCounts } from '../ports/shared.ts';
import { RecentTimes } from './recent-times.ts';

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

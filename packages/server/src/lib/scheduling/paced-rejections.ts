import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { atMost } from '../caching/index.ts';
import type { Clock } from './clock.ts';

/** Interval between the rejections of a caller in milliseconds. */
const INTERVAL_MS = 25;
/** Maximum delay of a rejection in milliseconds. */
const MAX_DELAY_MS = 1500;
/** Maximum number of callers whose last rejection is remembered. */
const MAX_CALLERS = 10_000;

/**
 * Delays the rejections of callers that exceed a limit. A client that repeats rejected requests in parallel would otherwise use much of
 * the event loop. A first rejection is not delayed; further ones of the same caller follow at intervals of 25 ms, and each is delayed by
 * at most 1.5 s.
 */
export class PacedRejections {
  readonly #clock: Clock;
  /** Time of the last rejection of a caller, which may be in the future. */
  readonly #last = new LRUCache<string, number>(atMost(MAX_CALLERS));

  /** @param clock milliseconds, such as `performance.now`. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a request of the caller may be rejected. */
  async wait(caller: string): Promise<void> {
    const delayMs = this.reserve(caller);
    if (delayMs > 0) await sleep(delayMs);
  }

  /** Returns the delay of the caller's next rejection in milliseconds, which `wait` waits for. */
  reserve(caller: string): number {
    const now = this.#clock();
    const last = this.#last.get(caller) ?? Number.NEGATIVE_INFINITY;
    const at = Math.min(Math.max(now, last + INTERVAL_MS), now + MAX_DELAY_MS);
    this.#last.set(caller, at);
    return at - now;
  }
}

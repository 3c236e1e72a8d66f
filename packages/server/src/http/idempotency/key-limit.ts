import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/caching/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { tooManyKeys } from './idempotency.errors.ts';

interface Counted {
  /** Stored responses at the last count. */
  readonly stored: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** Requests of this process since the last count. */
  since: number;
}

export interface KeyLimitOptions {
  /** Maximum stored responses per caller. 0: no limit. */
  readonly max: number;
  readonly clock: Clock;
  /** Returns the number of stored responses of a caller. */
  readonly count: (caller: string) => Promise<number>;
}

const MAX_CALLERS = 10_000;
/** The responses are counted again after this share of the remaining keys was used, because other replicas use keys too. */
const RECOUNT_SHARE = 0.25;
/** Minimum time between two counts for a caller who has reached the limit. */
const RECOUNT_FULL_MS = 10_000;

/**
 * Limits the stored responses per caller. Counting many responses is slow, so most requests only increment a counter of this
 * process.
 */
export class KeyLimit {
  readonly #options: KeyLimitOptions;
  readonly #callers = new LRUCache<string, Counted>(atMost(MAX_CALLERS));

  constructor(options: KeyLimitOptions) {
    this.#options = options;
  }

  /** Counts a request with a new key. Throws 429 above the limit. Returns a promise if it must count the stored responses first. */
  use(caller: string): Promise<void> | undefined {
    if (this.#options.max === 0) return undefined;
    const counted = this.#callers.get(caller);
    if (counted === undefined || this.#isStale(counted)) return this.#recount(caller);
    this.#add(counted);
    return undefined;
  }

  async #recount(caller: string): Promise<void> {
    const { clock, count } = this.#options;
    const counted = { stored: await count(caller), at: clock(), since: 0 };
    this.#callers.set(caller, counted);
    this.#add(counted);
  }

  #add(counted: Counted): void {
    const { max } = this.#options;
    if (counted.stored + counted.since >= max) throw tooManyKeys(max);
    counted.since += 1;
  }

  #isStale({ stored, at, since }: Counted): boolean {
    const { max, clock } = this.#options;
    if (stored + since >= max) return clock() >= at + RECOUNT_FULL_MS || since > 0;
    return since >= (max - stored) * RECOUNT_SHARE;
  }
}

import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';

export interface ShortCacheOptions {
  /** Lifetime of a value after the start of its read, in milliseconds. */
  readonly maxAge: number;
  /** Maximum number of values; the least recently used is dropped first. */
  readonly maxSize: number;
  /** Monotonic clock in milliseconds, greater than 0. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Caches values for a short time, after which changes made by other processes become visible. Call `forget` after a change
 * made by this process. Misses (`null`) are not cached.
 */
export class ShortCache<Value extends NonNullable<unknown>> {
  readonly #values: LRUCache<string, Value>;
  readonly #now: () => number;
  #generation = 0;

  constructor({ maxAge, maxSize, now = () => performance.now() }: ShortCacheOptions) {
    this.#now = now;
    this.#values = new LRUCache({
      ...atMost(maxSize),
      ttl: maxAge,
      ttlResolution: 0,
      perf: { now },
    });
  }

  async get(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const cached = this.#values.get(key);
    if (cached !== undefined) return cached;
    const generation = this.#generation;
    const start = this.#now();
    const value = await read();
    // If `forget` was called during the read, the value may be outdated.
    if (value !== null && generation === this.#generation) this.#values.set(key, value, { start });
    return value;
  }

  forget(): void {
    this.#generation += 1;
    this.#values.clear();
  }
}

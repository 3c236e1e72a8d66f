/** Units per second. 0 means no limit. */
export type PerSecond = number;

interface Level {
  /** Remaining tokens. Negative after a request that is larger than the bucket. */
  readonly left: number;
  /** Milliseconds of a clock that is never set back. */
  readonly at: number;
}

/**
 * Token buckets by key, each with a capacity of one second. A request passes if its bucket is not empty, and then
 * takes its full amount. A request larger than the bucket therefore passes and delays the next one.
 * Full buckets are deleted.
 */
export class Buckets {
  readonly rate: PerSecond;
  /** Buckets in the order of their last update. */
  readonly #levels = new Map<string, Level>();

  constructor(rate: PerSecond) {
    this.rate = rate;
  }

  /** Returns the whole seconds until the next request passes, or 0 if it passes now. */
  wait(key: string, now: number): number {
    if (this.rate === 0) return 0;
    const left = this.#left(key, now);
    return left > 0 ? 0 : Math.max(1, Math.ceil(-left / this.rate));
  }

  take(key: string, amount: number, now: number): void {
    if (this.rate === 0) return;
    this.set(key, this.#left(key, now) - amount, now);
  }

  /** Sets the remaining tokens of a bucket, which may be negative. */
  set(key: string, left: number, now: number): void {
    this.#levels.delete(key);
    this.#levels.set(key, { left, at: now });
    for (const other of this.#levels.keys()) {
      if (this.#left(other, now) < this.rate) break;
      this.#levels.delete(other);
    }
  }

  #left(key: string, now: number): number {
    const level = this.#levels.get(key);
    if (level === undefined) return this.rate;
    return Math.min(this.rate, level.left + ((now - level.at) / 1000) * this.rate);
  }
}

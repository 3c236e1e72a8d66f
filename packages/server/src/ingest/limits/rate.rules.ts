/** How much of something may come in a second; 0: as much as likes to. */
export type PerSecond = number;

interface Level {
  /** What may come now; below zero when more came than may. */
  readonly left: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Token buckets that hold a second's worth, one for each key. Something may come while a bucket is not empty, and
 * then takes all that it takes, so that a request larger than the bucket passes, and the next one waits for
 * longer. A bucket that is full is forgotten.
 */
export class Buckets {
  readonly rate: PerSecond;
  /** In the order in which something was taken last. */
  readonly #levels = new Map<string, Level>();

  constructor(rate: PerSecond) {
    this.rate = rate;
  }

  /** Whole seconds until something may come; 0: it may now. */
  wait(key: string, now: number): number {
    if (this.rate === 0) return 0;
    const left = this.#left(key, now);
    return left > 0 ? 0 : Math.max(1, Math.ceil(-left / this.rate));
  }

  take(key: string, amount: number, now: number): void {
    if (this.rate === 0) return;
    this.set(key, this.#left(key, now) - amount, now);
  }

  /** Says what is left in a bucket: below zero when more came than may. */
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
    // A clock may be set back.
    const seconds = Math.max(0, now - level.at) / 1000;
    return Math.min(this.rate, level.left + seconds * this.rate);
  }
}

/** Half-life of used time in milliseconds. */
const HALF_LIFE_MS = 10_000;
/** Used time in milliseconds that is small enough to be forgotten; less than any operation takes. */
const FORGOTTEN_MS = 0.01;

/** Recently used time in milliseconds. It halves every ten seconds. */
export class RecentTime {
  #ms = 0;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  at(now: number): number {
    return this.#ms * 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
  }

  add(ms: number, now: number): void {
    this.#ms = this.at(now) + ms;
    this.#at = now;
  }

  /** Sets the time to at least `ms`. */
  raiseTo(ms: number, now: number): void {
    this.add(Math.max(0, ms - this.at(now)), now);
  }

  isForgotten(now: number): boolean {
    return this.at(now) < FORGOTTEN_MS;
  }
}

import type { Clock } from './clock.ts';

export interface TimeBudget {
  /** Time that a caller may use per second, in milliseconds. Greater than 0. */
  readonly msPerSecond: number;
}

/** Unused time accumulates for at most this long. */
const BURST_SECONDS = 10;
const FORGET_EVERY_MS = 60_000;

interface Bucket {
  readonly msPerSecond: number;
  /** Unused time in milliseconds. Negative after an operation that took longer than the unused time. */
  leftMs: number;
  at: number;
}

/** Time budgets of callers, as token buckets. A caller without unused time must wait. */
export class TimeBudgets {
  readonly #budgetOf: (caller: string) => TimeBudget | null;
  readonly #clock: Clock;
  /** Buckets that are not full. */
  readonly #buckets = new Map<string, Bucket>();
  #forgetAt: number;

  /**
   * @param budgetOf returns the budget of a caller. Null: no limit.
   * @param clock milliseconds, such as `performance.now`.
   */
  constructor(budgetOf: (caller: string) => TimeBudget | null, clock: Clock) {
    this.#budgetOf = budgetOf;
    this.#clock = clock;
    this.#forgetAt = clock() + FORGET_EVERY_MS;
  }

  /** Returns the milliseconds until the caller has unused time again, or 0 if it has some now. */
  waitMs(caller: string): number {
    const bucket = this.#buckets.get(caller);
    if (bucket === undefined) return 0;
    refill(bucket, this.#clock());
    return bucket.leftMs > 0 ? 0 : Math.max(1, (-bucket.leftMs * 1000) / bucket.msPerSecond);
  }

  charge(caller: string, ms: number): void {
    const now = this.#clock();
    this.#forget(now);
    let bucket = this.#buckets.get(caller);
    if (bucket === undefined) {
      const budget = this.#budgetOf(caller);
      if (budget === null) return;
      const { msPerSecond } = budget;
      bucket = { msPerSecond, leftMs: msPerSecond * BURST_SECONDS, at: now };
      this.#buckets.set(caller, bucket);
    }
    refill(bucket, now);
    bucket.leftMs -= ms;
  }

  #forget(now: number): void {
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_EVERY_MS;
    for (const [caller, bucket] of this.#buckets) {
      refill(bucket, now);
      if (bucket.leftMs >= bucket.msPerSecond * BURST_SECONDS) this.#buckets.delete(caller);
    }
  }
}

function refill(bucket: Bucket, now: number): void {
  const gainedMs = ((now - bucket.at) * bucket.msPerSecond) / 1000;
  bucket.leftMs = Math.min(bucket.leftMs + gainedMs, bucket.msPerSecond * BURST_SECONDS);
  bucket.at = now;
}

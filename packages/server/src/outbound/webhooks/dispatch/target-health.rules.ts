import { backoffMs } from './retry.rules.ts';

/** Number of consecutive failures after which the target counts as failing. */
const FAILURE_THRESHOLD = 20;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
const MAX_IN_FLIGHT_FAILING = 4;

/**
 * A circuit breaker for one target.
 *
 * - healthy: only the capacity limits attempts. 20 consecutive failures → failing
 * - failing: at most four attempts are in flight. Due deliveries are retried, and one new delivery is sent as a probe at
 *   growing intervals. One success → healthy
 *
 * A target that is down therefore gets few requests and has few stored deliveries. Later events stay in the log.
 */
export class TargetHealth {
  readonly #random: () => number;
  #failures = 0;
  #nextProbeAt = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get isFailing(): boolean {
    return this.#failures >= FAILURE_THRESHOLD;
  }

  maxInFlight(capacity: number): number {
    return this.isFailing ? Math.min(capacity, MAX_IN_FLIGHT_FAILING) : capacity;
  }

  mayTryNew(now: number, newInFlight: number): boolean {
    if (!this.isFailing) return true;
    // A probe further ahead than any delay was scheduled before the clock was set back.
    const isDue = now >= this.#nextProbeAt || this.#nextProbeAt > now + MAX_DELAY_MS;
    return newInFlight === 0 && isDue;
  }

  /**
   * Reports whether the target starts to fail.
   *
   * @param notBefore the time in the target's `Retry-After`, or 0.
   */
  onFailure(now: number, notBefore: number): boolean {
    this.#failures += 1;
    if (!this.isFailing) return false;
    const failures = this.#failures - FAILURE_THRESHOLD + 1;
    const delay = backoffMs(failures, FIRST_DELAY_MS, MAX_DELAY_MS, this.#random());
    this.#nextProbeAt = Math.max(now + delay, Math.min(notBefore, now + MAX_DELAY_MS));
    return failures === 1;
  }

  /** Reports whether the target was failing and has now recovered. */
  onSuccess(): boolean {
    const recovered = this.isFailing;
    this.#failures = 0;
    return recovered;
  }
}

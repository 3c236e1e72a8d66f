import { backoffMs } from './retry.rules.ts';

/** Consecutive failures after which the target is considered failing, not the events. */
const FAILURE_THRESHOLD = 20;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
const MAX_IN_FLIGHT_FAILING = 4;

/**
 * A circuit breaker for one target.
 *
 * - healthy: attempts are limited by capacity only. 20 consecutive failures → failing.
 * - failing: at most four attempts are in flight. Waiting deliveries are retried when due; of the new ones a single
 *   probe is sent at growing intervals. One success → healthy.
 *
 * A target that is down therefore gets few requests and few stored deliveries; later events stay in the log.
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

  /** @param capacity number of attempts that other limits permit. */
  maxInFlight(capacity: number): number {
    return this.isFailing ? Math.min(capacity, MAX_IN_FLIGHT_FAILING) : capacity;
  }

  /** Reports whether a delivery that was never attempted may be sent. */
  mayTryNew(now: number, newInFlight: number): boolean {
    return !this.isFailing || (newInFlight === 0 && now >= this.#nextProbeAt);
  }

  /** @param notBefore time that the target requested by `Retry-After`, or 0. */
  onFailure(now: number, notBefore: number): void {
    this.#failures += 1;
    if (!this.isFailing) return;
    const failures = this.#failures - FAILURE_THRESHOLD + 1;
    const delay = backoffMs(failures, FIRST_DELAY_MS, MAX_DELAY_MS, this.#random());
    this.#nextProbeAt = Math.max(now + delay, Math.min(notBefore, now + MAX_DELAY_MS));
  }

  /** Reports whether the target has recovered: it was failing before. */
  onSuccess(): boolean {
    const recovered = this.isFailing;
    this.#failures = 0;
    return recovered;
  }
}

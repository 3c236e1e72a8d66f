import { growingPause } from './retry.rules.ts';

/** So many failures in a row say that it is the target, not the events. */
const FAILURES = 20;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** Attempts at a time while it fails. */
const AT_ONCE_FAILING = 4;

/**
 * How fast a target is sent to.
 *
 * - fine: as fast as may be. 20 failures in a row → failing.
 * - failing: what waits is tried when its time has come, a few at a time; of what was never tried one
 *   event now and then, later and later. A success → fine.
 *
 * A target that is down thus gets few requests and leaves few rows, and what came meanwhile stays in the log.
 */
export class Pace {
  readonly #random: () => number;
  #failures = 0;
  #nextTrialAt = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get isFailing(): boolean {
    return this.#failures >= FAILURES;
  }

  /** How many attempts may be under way, of those that others leave. */
  atOnce(share: number): number {
    return this.isFailing ? Math.min(share, AT_ONCE_FAILING) : share;
  }

  /** Whether an event that was never tried may be. */
  mayTryNew(now: number, newUnderWay: number): boolean {
    return !this.isFailing || (newUnderWay === 0 && now >= this.#nextTrialAt);
  }

  /** @param notBefore what the target asked for; 0 for nothing. */
  failed(now: number, notBefore: number): void {
    this.#failures += 1;
    if (!this.isFailing) return;
    const pause = growingPause(
      this.#failures - FAILURES + 1,
      FIRST_PAUSE_MS,
      LONGEST_PAUSE_MS,
      this.#random(),
    );
    this.#nextTrialAt = Math.max(now + pause, Math.min(notBefore, now + LONGEST_PAUSE_MS));
  }

  /** Whether the target had failed before. */
  succeeded(): boolean {
    const recovered = this.isFailing;
    this.#failures = 0;
    return recovered;
  }
}

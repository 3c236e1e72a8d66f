/** How long a delivery is tried, from when it began to wait. */
export const GIVE_UP_AFTER_MS = 3 * 86_400_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 3_600_000;
/** What a target may ask for. */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

export interface FailedAttempt {
  /** How many failed, this one included. */
  readonly attempts: number;
  /** Unix milliseconds, as all times here. */
  readonly waitingSince: number;
  readonly now: number;
  /** The header of the answer. */
  readonly retryAfter: string | null;
  /** From 0 up to 1, for the jitter. */
  readonly random: number;
}

/**
 * When to try again: after 1, 2, 4 … seconds and at last every hour, each shortened by up to a half at random,
 * or when the target asked for; the last time three days after it began to wait. Null: not again.
 */
export function nextAttempt(failed: FailedAttempt): number | null {
  const { attempts, waitingSince, now, retryAfter, random } = failed;
  const end = waitingSince + GIVE_UP_AFTER_MS;
  if (now >= end) return null;
  const pause = Math.max(
    growingPause(attempts, FIRST_PAUSE_MS, LONGEST_PAUSE_MS, random),
    retryAfterMs(retryAfter, now),
  );
  return Math.min(now + pause, end);
}

/** `first`, doubled each time up to `longest`, shortened by up to a half. */
export function growingPause(
  failures: number,
  first: number,
  longest: number,
  random: number,
): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 40));
  return Math.round(whole * (1 - random / 2));
}

/** Milliseconds from a `Retry-After` (RFC 9110, section 10.2.3), bounded; 0 when there is none. */
export function retryAfterMs(text: string | null, now: number): number {
  if (text === null) return 0;
  const wanted = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wanted) ? 0 : Math.min(Math.max(0, wanted), LONGEST_RETRY_AFTER_MS);
}

import { DAY_MS, MINUTE_MS } from '../../../lib/scheduling/index.ts';
import type { LastFailure } from '../deliveries/checkpoint.repository.ts';
import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { WebhookOutcome } from '../sending/webhook-sender.ts';

/** Time after the first failure at which a delivery is parked. */
export const PARK_AFTER_MS = 3 * DAY_MS;
/** Time after the first failure at which a delivery that still fails is reported. */
const REPORT_AFTER_MS = 30 * MINUTE_MS;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;
const MAX_RETRY_AFTER_MS = DAY_MS;
/** The longest delay and a margin for clocks of replicas that differ. */
const MAX_PLAUSIBLE_DELAY_MS = MAX_RETRY_AFTER_MS + MAX_DELAY_MS;

export interface AttemptFailure extends LastFailure {
  readonly retryAfter: string | null;
  readonly isGone: boolean;
}

/** Returns the failure of an attempt, or `null` if the target answered with a 2xx status. */
export function failureOf(outcome: WebhookOutcome, now: number): AttemptFailure | null {
  if (!outcome.answered)
    return { at: now, status: null, message: outcome.problem, retryAfter: null, isGone: false };
  const { status, retryAfter } = outcome;
  if (status >= 200 && status < 300) return null;
  const message = `the target answered ${status}`;
  return { at: now, status, message, retryAfter, isGone: status === 410 };
}

/** Records a failed attempt in its delivery. Schedules the next attempt or parks the delivery. */
export function recordFailure(
  item: PendingDelivery,
  { at: now, status, message, retryAfter }: AttemptFailure,
  random: number,
): void {
  item.attempts += 1;
  item.lastAttemptAt = now;
  item.lastStatus = status;
  item.lastFailure = message;
  item.notBefore = now + retryAfterMs(retryAfter, now);
  const { attempts, waitingSince } = item;
  const next = nextAttempt({ attempts, waitingSince, now, retryAfter, random });
  item.nextAttemptAt = next ?? now;
  if (next === null) item.state = 'parked';
}

/** Reports whether the last attempt of a waiting delivery is the first one half an hour or more after the first failure. */
export function isOverdue(
  { state, waitingSince, lastAttemptAt }: PendingDelivery,
  previousAttemptAt: number | null,
): boolean {
  const end = waitingSince + REPORT_AFTER_MS;
  return state === 'waiting' && (lastAttemptAt ?? 0) >= end && (previousAttemptAt ?? 0) < end;
}

/** Schedules the next attempt of a delivery after an attempt that sent no request. */
export function postpone(item: PendingDelivery, now: number, delayMs: number): void {
  item.nextAttemptAt = now + delayMs;
  // If the clock was set back, the last attempt is in the future, and `isDue` would ignore the delay.
  if (item.lastAttemptAt !== null) item.lastAttemptAt = Math.min(item.lastAttemptAt, now);
}

/**
 * Reports whether the next attempt of a delivery is due. If the last attempt is in the future, or the next one is further ahead than any
 * delay, the times were stored before the clock was set back, so the attempt is due at once. A delivery without an attempt only waits for
 * earlier deliveries.
 */
export function isDue(
  { lastAttemptAt, nextAttemptAt }: Pick<PendingDelivery, 'lastAttemptAt' | 'nextAttemptAt'>,
  now: number,
): boolean {
  return (
    nextAttemptAt <= now ||
    nextAttemptAt > now + MAX_PLAUSIBLE_DELAY_MS ||
    wasSetBack(lastAttemptAt ?? nextAttemptAt, now)
  );
}

/** Reports whether the clock was set back since `earlier`. Ignores small corrections of the clock. */
export function wasSetBack(earlier: number, now: number): boolean {
  return earlier > now + MINUTE_MS;
}

/** Times are Unix milliseconds. */
export interface FailedAttempt {
  /** Number of failed attempts including this one. */
  readonly attempts: number;
  readonly waitingSince: number;
  readonly now: number;
  readonly retryAfter: string | null;
  /** A number from 0 to 1 (exclusive) for jitter. */
  readonly random: number;
}

/**
 * Returns the time of the next attempt, or `null` if the delivery must be parked. Delays grow exponentially from one
 * second to one hour. Jitter reduces each delay by up to half, and `Retry-After` can extend it. The last attempt is
 * three days after `waitingSince`.
 */
export function nextAttempt(failed: FailedAttempt): number | null {
  const { attempts, waitingSince, now, retryAfter, random } = failed;
  const end = waitingSince + PARK_AFTER_MS;
  if (now >= end) return null;
  const delay = Math.max(
    backoffMs(attempts, FIRST_DELAY_MS, MAX_DELAY_MS, random),
    retryAfterMs(retryAfter, now),
  );
  return Math.min(now + delay, end);
}

/**
 * Returns the exponential backoff delay. The delay starts at `firstMs`, doubles with every further failure and never
 * exceeds `maxMs`. Jitter reduces it by up to half.
 *
 * @example
 * backoffMs(3, 1000, 60_000, 0); // 4000
 */
export function backoffMs(
  failures: number,
  firstMs: number,
  maxMs: number,
  random: number,
): number {
  const delay = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 40));
  return Math.round(delay * (1 - random / 2));
}

/**
 * Returns the delay in a `Retry-After` header (RFC 9110, section 10.2.3), at most one day. Returns 0 if the header is
 * missing or invalid.
 */
export function retryAfterMs(text: string | null, now: number): number {
  if (text === null) return 0;
  const delay = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(delay) ? 0 : Math.min(Math.max(0, delay), MAX_RETRY_AFTER_MS);
}

import type { PendingDelivery } from '../deliveries/pending.ts';
import type { LastFailure } from '../deliveries/progress.repository.ts';
import type { WebhookOutcome } from '../sending/webhook-sender.ts';
import { nextAttempt, retryAfterMs } from './retry.rules.ts';

/** What an attempt came to: any answer of 2xx is a success, all else is not. */
export type Verdict =
  | { readonly delivered: true }
  | {
      readonly delivered: false;
      readonly failure: LastFailure;
      readonly retryAfter: string | null;
      /** The target said that it is gone for good (410). */
      readonly isGone: boolean;
    };

/** @param now Unix milliseconds. */
export function verdictOf(outcome: WebhookOutcome, now: number): Verdict {
  if (!outcome.answered) {
    const failure = { at: now, status: null, message: outcome.problem };
    return { delivered: false, failure, retryAfter: null, isGone: false };
  }
  const { status, retryAfter } = outcome;
  if (status >= 200 && status < 300) return { delivered: true };
  const failure = { at: now, status, message: `the target answered ${status}` };
  return { delivered: false, failure, retryAfter, isGone: status === 410 };
}

/** Notes a failed attempt with its delivery, which is waiting then, or parked. */
export function noteFailure(
  item: PendingDelivery,
  { failure, retryAfter }: Verdict & { delivered: false },
  random: number,
): void {
  const { at: now, status, message } = failure;
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

import { type Clock, MINUTE_MS } from '../../lib/scheduling/index.ts';

/** Maximum entries of failed sign-ins in the audit, per minute and process. An attacker must not be able to fill the disk. */
const MAX_PER_MINUTE = 60;

/** Returns a function that reports whether another failed sign-in may be recorded in the audit. */
export function createFailureLimit(clock: Clock): () => boolean {
  let minute = 0;
  let recorded = 0;
  return () => {
    const now = Math.floor(clock() / MINUTE_MS);
    if (now !== minute) {
      minute = now;
      recorded = 0;
    }
    recorded += 1;
    return recorded <= MAX_PER_MINUTE;
  };
}

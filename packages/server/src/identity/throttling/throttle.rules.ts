import { MINUTE_MS } from '../../lib/scheduling/index.ts';

/** Failed attempts after which an account is blocked. */
export const MAX_FAILURES = 10;
/** Milliseconds without a failed attempt after which the failures are forgotten. A block extends this time. */
export const FORGET_AFTER_MS = 15 * MINUTE_MS;
/** Maximum duration of a block in milliseconds. */
export const LONGEST_BLOCK_MS = 15 * MINUTE_MS;

/**
 * Returns the duration of the block after a number of failures, in milliseconds. The first block takes a minute. Each
 * further failure doubles the duration, up to 15 minutes.
 */
export function blockMs(failures: number): number {
  if (failures < MAX_FAILURES) return 0;
  return Math.min(MINUTE_MS * 2 ** (failures - MAX_FAILURES), LONGEST_BLOCK_MS);
}

import { MINUTE_MS } from '../../lib/scheduling/index.ts';

/** Wrong codes in a row after which codes are blocked. */
const MAX_WRONG_CODES = 5;
/** Maximum duration of a block in milliseconds. */
export const LONGEST_CODE_BLOCK_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the duration of the block after a number of wrong codes in a row, in milliseconds. The first block takes a minute. Each
 * further wrong code doubles the duration, up to 24 hours. Three of a million codes are correct at any time, so somebody who knows the
 * password and never pauses guesses about 380 codes per year and finds a correct one with a probability of 0.1 %.
 */
export function codeBlockMs(failures: number): number {
  if (failures < MAX_WRONG_CODES) return 0;
  return Math.min(MINUTE_MS * 2 ** (failures - MAX_WRONG_CODES), LONGEST_CODE_BLOCK_MS);
}

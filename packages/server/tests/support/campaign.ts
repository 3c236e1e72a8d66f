import { randomInt } from 'node:crypto';

/** Reports whether campaigns run in full (`npm run test:chaos`) instead of as samples (`npm test`). */
export const FULL = process.env['GATEHOUSE_TEST_CHAOS'] === 'full';

/** The seed of this run's random choices; `GATEHOUSE_TEST_SEED` repeats those of another run. */
export const SEED = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 32));

/**
 * Returns how many rounds a campaign has; `GATEHOUSE_TEST_ROUNDS` sets another number.
 *
 * @param sample rounds in `npm test`.
 * @param full rounds in `npm run test:chaos`.
 */
export function roundsOf(sample: number, full: number): number {
  return Number(process.env['GATEHOUSE_TEST_ROUNDS'] ?? (FULL ? full : sample));
}

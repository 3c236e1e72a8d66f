import { randomInt } from 'node:crypto';

/**
 * `true` if random test campaigns run in full (`npm run test:chaos`), `false` if they run as short samples (`npm
 * test`).
 */
export const FULL = process.env['GATEHOUSE_TEST_CHAOS'] === 'full';

/** Random seed of this run. Set `GATEHOUSE_TEST_SEED` to reproduce another run. */
export const SEED = Number(process.env['GATEHOUSE_TEST_SEED'] ?? randomInt(2 ** 32));

/**
 * Returns the number of rounds of a campaign. `GATEHOUSE_TEST_ROUNDS` overrides it.
 *
 * @param sample number of rounds in `npm test`.
 * @param full number of rounds in `npm run test:chaos`.
 */
export function roundsOf(sample: number, full: number): number {
  return Number(process.env['GATEHOUSE_TEST_ROUNDS'] ?? (FULL ? full : sample));
}

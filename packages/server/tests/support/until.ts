import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const CHECK_EVERY_MS = 10;
/** Long enough for a machine that runs several test files at once. */
const WITHIN_MS = 120_000;

/**
 * Waits until a condition is true. Throws after `withinMs` milliseconds. Default 120,000.
 *
 * @param what description of the condition for the error message.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = WITHIN_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `timed out waiting until ${what}`);
    await sleep(CHECK_EVERY_MS);
  }
}

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
const WITHIN_MS = 60_000;

/** Waits until something is the case; fails when it still is not after a time that no machine needs. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = WITHIN_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `waited in vain: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

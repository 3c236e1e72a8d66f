import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attempt, withAttempt } from './attempt-log.ts';

function logOf(count: number, response: string | null): readonly Attempt[] {
  let log: readonly Attempt[] = [];
  for (let at = 1; at <= count; at += 1)
    log = withAttempt(log, { at, status: 500, durationMs: 1, failure: 'failed', response });
  return log;
}

test('retains the newest 20 attempts', () => {
  assert.equal(logOf(20, null).length, 20);
  const log = logOf(21, null);
  assert.deepEqual([log.length, log[0]?.at, log.at(-1)?.at], [20, 2, 21]);
});

test('retains the newest responses within 16 KiB', () => {
  const withResponse = (log: readonly Attempt[]) =>
    log.filter(({ response }) => response !== null).map(({ at }) => at);
  assert.deepEqual(withResponse(logOf(16, 'x'.repeat(1024))).length, 16);
  const log = logOf(18, 'x'.repeat(1024));
  assert.equal(log.length, 18);
  assert.deepEqual(
    withResponse(log),
    Array.from({ length: 16 }, (_, index) => index + 3),
  );
});

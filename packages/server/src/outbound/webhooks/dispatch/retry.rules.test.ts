import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttempt, PARK_AFTER_MS, retryAfterMs } from './retry.rules.ts';

const NOW = 1_792_318_200_000;
const failed = (attempts: number, more: object = {}) =>
  nextAttempt({ attempts, waitingSince: NOW, now: NOW, retryAfter: null, random: 0, ...more });

test('delays double from one second to one hour, and jitter reduces each delay by up to half', () => {
  for (const [attempts, seconds] of [
    [1, 1],
    [2, 2],
    [3, 4],
    [12, 2048],
    [13, 3600],
    [84, 3600],
    [5000, 3600],
  ] as const) {
    assert.equal(failed(attempts), NOW + seconds * 1000);
    assert.equal(failed(attempts, { random: 0.5 }), NOW + seconds * 750);
  }
});

test('the last attempt is three days after the first', () => {
  const end = NOW + PARK_AFTER_MS;
  assert.equal(failed(80, { now: end - 1000 }), end);
  assert.equal(failed(80, { now: end }), null);
  assert.equal(failed(1, { now: end + 1 }), null);
});

test('respects Retry-After up to one day', () => {
  assert.equal(failed(1, { retryAfter: '120' }), NOW + 120_000);
  assert.equal(failed(13, { retryAfter: '1' }), NOW + 3_600_000);
  assert.equal(failed(1, { retryAfter: new Date(NOW + 60_000).toUTCString() }), NOW + 60_000);
  assert.equal(failed(1, { retryAfter: '999999999' }), NOW + 86_400_000);
});

test('ignores an invalid Retry-After', () => {
  for (const text of [
    '',
    '-1',
    '1.5',
    'soon',
    '1e9',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    '9'.repeat(400),
  ])
    assert.equal(retryAfterMs(text, NOW), 0, text);
});

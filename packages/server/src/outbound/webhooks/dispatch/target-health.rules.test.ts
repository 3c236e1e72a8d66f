import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TargetHealth } from './target-health.rules.ts';

const NOW = 1_792_318_200_000;

function failing(times: number, notBefore = 0): TargetHealth {
  const health = new TargetHealth(() => 0);
  for (let time = 0; time < times; time += 1) health.onFailure(NOW, notBefore);
  return health;
}

test('fewer than 20 consecutive failures have no effect', () => {
  const health = failing(19);
  assert.equal(health.maxInFlight(64), 64);
  assert.ok(health.mayTryNew(NOW, 30));
});

test('20 consecutive failures limit a target to four attempts in flight and to one new delivery at growing intervals', () => {
  const health = failing(20);
  assert.equal(health.maxInFlight(64), 4);
  assert.equal(health.maxInFlight(1), 1);
  assert.ok(!health.mayTryNew(NOW + 999, 0));
  assert.ok(health.mayTryNew(NOW + 1000, 0));
  assert.ok(!health.mayTryNew(NOW + 1000, 1));
  assert.ok(!failing(21).mayTryNew(NOW + 1999, 0));
  assert.ok(!failing(1000).mayTryNew(NOW + 59_999, 0));
  assert.ok(failing(1000).mayTryNew(NOW + 60_000, 0));
});

test('respects Retry-After up to one minute', () => {
  assert.ok(!failing(20, NOW + 5000).mayTryNew(NOW + 4999, 0));
  assert.ok(failing(20, NOW + 5000).mayTryNew(NOW + 5000, 0));
  assert.ok(failing(20, NOW + 86_400_000).mayTryNew(NOW + 60_000, 0));
});

test('the 20th consecutive failure reports that the target starts to fail', () => {
  const health = failing(19);
  assert.deepEqual([health.onFailure(NOW, 0), health.onFailure(NOW, 0)], [true, false]);
});

test('a failing target gets a new delivery when the clock was set back by hours', () => {
  assert.ok(failing(20).mayTryNew(NOW - 7_200_000, 0));
});

test('one success ends the failing state and reports the recovery', () => {
  const health = failing(30);
  assert.equal(health.onSuccess(), true);
  assert.equal(health.maxInFlight(64), 64);
  assert.equal(health.onSuccess(), false);
});

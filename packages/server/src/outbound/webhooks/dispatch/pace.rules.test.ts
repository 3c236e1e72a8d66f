import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.rules.ts';

const NOW = 1_792_318_200_000;

function failing(times: number, notBefore = 0): Pace {
  const pace = new Pace(() => 0);
  for (let time = 0; time < times; time += 1) pace.failed(NOW, notBefore);
  return pace;
}

test('a few failures change nothing', () => {
  const pace = failing(19);
  assert.equal(pace.atOnce(64), 64);
  assert.ok(pace.mayTryNew(NOW, 30));
});

test('twenty in a row leave four attempts at once, and one new event now and then, later and later', () => {
  const pace = failing(20);
  assert.equal(pace.atOnce(64), 4);
  assert.equal(pace.atOnce(1), 1);
  assert.ok(!pace.mayTryNew(NOW + 999, 0));
  assert.ok(pace.mayTryNew(NOW + 1000, 0));
  assert.ok(!pace.mayTryNew(NOW + 1000, 1));
  assert.ok(!failing(21).mayTryNew(NOW + 1999, 0));
  assert.ok(!failing(1000).mayTryNew(NOW + 59_999, 0));
  assert.ok(failing(1000).mayTryNew(NOW + 60_000, 0));
});

test('what a target asks for is waited for, within a minute', () => {
  assert.ok(!failing(20, NOW + 5000).mayTryNew(NOW + 4999, 0));
  assert.ok(failing(20, NOW + 5000).mayTryNew(NOW + 5000, 0));
  assert.ok(failing(20, NOW + 86_400_000).mayTryNew(NOW + 60_000, 0));
});

test('one success is enough, and tells that it was one after failures', () => {
  const pace = failing(30);
  assert.equal(pace.succeeded(), true);
  assert.equal(pace.atOnce(64), 64);
  assert.equal(pace.succeeded(), false);
});

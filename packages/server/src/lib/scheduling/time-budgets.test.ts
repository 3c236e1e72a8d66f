import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeBudgets } from './time-budgets.ts';

function open(msPerSecond: number) {
  const state = { now: 0 };
  const limit = { msPerSecond };
  const budgets = new TimeBudgets(
    (caller) => (caller === 'free' ? null : limit),
    () => state.now,
  );
  return { state, budgets };
}

test('a caller may use ten seconds of its budget at once and then waits until time is refilled', () => {
  const { state, budgets } = open(250);
  budgets.charge('a', 2499);
  assert.equal(budgets.waitMs('a'), 0);
  budgets.charge('a', 251);
  assert.equal(budgets.waitMs('a'), 1000);
  assert.equal(budgets.waitMs('b'), 0);
  state.now += 999;
  assert.ok(budgets.waitMs('a') > 0);
  state.now += 2;
  assert.equal(budgets.waitMs('a'), 0);
});

test('unused time accumulates for at most ten seconds', () => {
  const { state, budgets } = open(100);
  budgets.charge('a', 500);
  state.now += 3_600_000;
  budgets.charge('a', 1100);
  assert.equal(budgets.waitMs('a'), 1000);
});

test('a caller without a limit never waits', () => {
  const { budgets } = open(1);
  budgets.charge('free', 1_000_000);
  assert.equal(budgets.waitMs('free'), 0);
});

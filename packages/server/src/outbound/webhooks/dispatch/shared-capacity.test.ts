import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { SharedCapacity } from './shared-capacity.ts';

test('allows 64 attempts per subscription, fewer under load, but always at least one', async () => {
  const capacity = new SharedCapacity();
  assert.equal(capacity.maxInFlight(), 64);
  let before = 64;
  for (let started = 0; started < 2000; started += 1) {
    capacity.onStart();
    const now = capacity.maxInFlight();
    assert.ok(now <= before && now >= 1);
    before = now;
  }
  assert.equal(capacity.maxInFlight(), 1);
  for (let ended = 0; ended < 2000; ended += 1) capacity.onEnd();
  assert.equal(capacity.maxInFlight(), 64);
  await nextIteration();
});

test('leaves at least eight attempts for the twentieth slow target', () => {
  const capacity = new SharedCapacity();
  const got = Array.from({ length: 20 }, () => {
    let own = 0;
    for (; own < capacity.maxInFlight(); own += 1) capacity.onStart();
    return own;
  });
  assert.equal(got[0], 64);
  assert.ok((got[19] ?? 0) >= 8, String(got));
});

test('starts at most 32 attempts per iteration of the event loop and resumes in order', async () => {
  const capacity = new SharedCapacity();
  const order: string[] = [];
  const begin = (name: string, many: number) => {
    const resume = () => {
      for (; many > 0 && capacity.mayStart(resume); many -= 1) {
        capacity.onStart();
        order.push(name);
      }
    };
    resume();
  };
  begin('a', 40);
  begin('b', 10);
  assert.equal(order.length, 32);
  await nextIteration();
  await nextIteration();
  assert.deepEqual(order.slice(32), [...Array(8).fill('a'), ...Array(10).fill('b')]);
});

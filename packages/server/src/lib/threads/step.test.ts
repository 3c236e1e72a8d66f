import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Step } from './step.ts';

function start(isContended: boolean) {
  const contention = new Int32Array(new SharedArrayBuffer(4));
  contention[0] = isContended ? 1 : 0;
  let now = 100;
  const step = new Step(contention, () => now);
  const isOverAfter = (ms: number) => {
    now = 100 + ms;
    return step.isOver;
  };
  return { contention, isOverAfter };
}

test('a step takes up to 25 ms while no other caller is waiting', () => {
  const { isOverAfter } = start(false);
  assert.deepEqual([0, 2, 24, 25].map(isOverAfter), [false, false, false, true]);
});

test('a step takes 2 ms while another caller is waiting', () => {
  const { isOverAfter } = start(true);
  assert.deepEqual([0, 1, 2].map(isOverAfter), [false, false, true]);
});

test('a step ends when another caller starts to wait', () => {
  const { contention, isOverAfter } = start(false);
  assert.equal(isOverAfter(10), false);
  Atomics.store(contention, 0, 1);
  assert.equal(isOverAfter(10), true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { comparePairs } from './paired-statistics.ts';

test('values of the same distribution do not differ', () => {
  const random = seeded(3);
  const same = comparePairs(Array.from({ length: 2000 }, () => [random.next(), random.next()]));
  assert.ok(same.signP > 0.05 && same.mannWhitneyP > 0.05);
  assert.ok(Math.abs(same.superiority - 0.5) < 0.02 && Math.abs(same.firstLarger - 0.5) < 0.03);
});

test('a shifted distribution differs', () => {
  const random = seeded(3);
  const shifted = comparePairs(
    Array.from({ length: 2000 }, () => [random.next() + 0.1, random.next()]),
  );
  assert.ok(shifted.signP < 1e-6 && shifted.mannWhitneyP < 1e-6);
  assert.ok(shifted.superiority > 0.55 && shifted.medianDifference > 0.05);
});

test('the Mann–Whitney test of a small example has its known result', () => {
  // U = 4.5 of 25 with ties.
  const { superiority, mannWhitneyP } = comparePairs([
    [1, 3],
    [2, 4],
    [2, 4],
    [3, 5],
    [4, 6],
  ]);
  assert.equal(superiority, 0.1);
  assert.ok(mannWhitneyP > 0.03 && mannWhitneyP < 0.04);
});

test('equal values do not differ', () => {
  const { signP, mannWhitneyP, superiority, firstLarger } = comparePairs(
    Array.from({ length: 30 }, () => [1, 1]),
  );
  assert.ok(signP > 0.999 && mannWhitneyP > 0.999);
  assert.deepEqual([superiority, firstLarger], [0.5, 0.5]);
});

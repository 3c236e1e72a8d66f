import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FirstFailure } from './first-failure.ts';

test('reports the first of consecutive failures, and again after a success', async () => {
  const told: unknown[] = [];
  const failures = new FirstFailure((error) => void told.push(error));
  for (const outcome of ['ok', 'a', 'b', 'c', 'ok', 'd', 'e'])
    await failures.of(async () => {
      if (outcome !== 'ok') throw outcome;
    });
  assert.deepEqual(told, ['a', 'd']);
});

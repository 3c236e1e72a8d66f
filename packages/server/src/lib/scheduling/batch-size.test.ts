import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchSize } from './batch-size.ts';

test('fast batches grow up to a limit, and slow batches shrink to one item', () => {
  const batch = new BatchSize();
  const first = batch.size;
  batch.finished(0.5);
  assert.equal(batch.size, 2 * first);
  for (let count = 0; count < 20; count += 1) batch.finished(0);
  const largest = batch.size;
  batch.finished(0);
  assert.equal(batch.size, largest);
  batch.finished(1.5);
  assert.equal(batch.size, largest, 'a batch of the target duration keeps its size');
  for (let count = 0; count < 20; count += 1) batch.finished(100);
  assert.equal(batch.size, 1);
});

test('a batch that took too long is reduced until it has one item', () => {
  const batch = new BatchSize();
  assert.equal(batch.reduce(), true);
  assert.equal(batch.size, 1);
  assert.equal(batch.reduce(), false);
});

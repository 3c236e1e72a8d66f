import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import { SERVICE, WriteQueue } from './write-queue.ts';

const QUEUE_BYTES = 1000;
const isOverloaded = (error: unknown) =>
  error instanceof StorageUnavailable && error.reason === 'overloaded';

function queueWith(...writes: readonly { owner: string; bytes: number }[]) {
  const queue = new WriteQueue(QUEUE_BYTES);
  for (const write of writes) queue.admit(write);
  return queue;
}

test('a write of any size is admitted while only small writes of the service wait', () => {
  const small = { owner: SERVICE, bytes: QUEUE_BYTES / 4 };
  for (const owner of ['space', SERVICE]) {
    const large = { owner, bytes: 2 * QUEUE_BYTES };
    const queue = queueWith(small, large);
    for (const next of ['space', 'other', SERVICE])
      assert.throws(() => queue.admit({ owner: next, bytes: 1 }), isOverloaded);
    queue.release(large);
    queue.admit(large);
  }
});

test('a write that exceeds the free bytes is rejected while events or large writes wait', () => {
  const waiting = [
    { owner: 'other', bytes: 1 },
    { owner: SERVICE, bytes: QUEUE_BYTES / 4 + 1 },
  ];
  for (const write of waiting)
    for (const owner of ['space', SERVICE])
      assert.throws(() => queueWith(write).admit({ owner, bytes: QUEUE_BYTES }), isOverloaded);
});

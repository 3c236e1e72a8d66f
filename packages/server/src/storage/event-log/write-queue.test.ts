import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import { type GroupLimits, SERVICE, WriteQueue } from './write-queue.ts';

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

const KIB = 1024;

/** Returns the size in KiB of a group from many waiting writes of 64 KiB of one space. */
function groupSize(
  queue: WriteQueue<{ owner: string; bytes: number }>,
  limits: GroupLimits,
): number {
  return queue.takeGroup(limits).reduce((sum, { bytes }) => sum + bytes, 0) / KIB;
}

function fullQueue(now: () => number) {
  const queue = new WriteQueue<{ owner: string; bytes: number }>(Number.POSITIVE_INFINITY, now);
  for (let write = 0; write < 200; write += 1) queue.add({ owner: 'space', bytes: 64 * KIB });
  return queue;
}

test('while one space writes, a group has 1 MiB per millisecond of a commit, and 1 to 4 MiB', () => {
  let now = 0;
  const queue = fullQueue(() => now);
  now = 10_000;
  assert.equal(groupSize(queue, { commitMs: 0 }), 1024);
  assert.equal(groupSize(queue, { commitMs: 2 }), 2048);
  assert.equal(groupSize(queue, { commitMs: 100 }), 4096);
  assert.equal(groupSize(queue, {}), 4096, 'the time of a commit is not known');
});

test('while several spaces write, and after the start, a group has a quarter of the size', () => {
  let now = 0;
  const queue = fullQueue(() => now);
  assert.equal(groupSize(queue, { commitMs: 0 }), 256);
  now = 10_000;
  queue.add({ owner: 'other', bytes: 64 * KIB });
  assert.equal(groupSize(queue, { commitMs: 0 }), 1024);
  assert.equal(groupSize(queue, { commitMs: 0.9 }), 256);
  assert.equal(groupSize(queue, { commitMs: 3 }), 768);
  now = 19_999;
  assert.equal(groupSize(queue, { commitMs: 100 }), 1024);
  assert.equal(groupSize(queue, {}), 1024, 'the time of a commit is not known');
  now = 20_000;
  assert.equal(groupSize(queue, {}), 4096);
});

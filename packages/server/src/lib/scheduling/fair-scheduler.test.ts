import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import { FairScheduler } from './fair-scheduler.ts';

interface Begun extends PromiseWithResolvers<boolean> {
  readonly key: string;
  readonly signal: AbortSignal;
}

function stepwise(atOnce: number) {
  const begun: Begun[] = [];
  const failures: [string, number][] = [];
  const scheduler = new FairScheduler({
    atOnce,
    step(key, signal) {
      const step = Promise.withResolvers<boolean>();
      begun.push({ ...step, key, signal });
      return step.promise;
    },
    onFailure(_, key, count) {
      failures.push([key, count]);
      return 20;
    },
  });
  const keys = () => begun.map(({ key }) => key).join(' ');
  const end = async (index: number, more: boolean) => {
    begun[index]?.resolve(more);
    await nextIteration();
  };
  return { scheduler, begun, failures, keys, end };
}

test('limits concurrent steps, and keys take turns', async () => {
  const { scheduler, keys, end } = stepwise(2);
  for (const key of ['a', 'b', 'c', 'd', 'c']) scheduler.wake(key);
  assert.equal(keys(), 'a b');
  await end(1, false);
  assert.equal(keys(), 'a b c');
  await end(0, true);
  assert.equal(keys(), 'a b c d');
  await end(2, false);
  assert.equal(keys(), 'a b c d a');
  await end(3, false);
  await end(4, false);
  assert.equal(keys(), 'a b c d a');
  await scheduler.close();
});

test('runs one step per key at a time, and another step if the key was woken during the first step', async () => {
  const { scheduler, keys, end } = stepwise(5);
  scheduler.wake('a');
  scheduler.wake('a');
  scheduler.wake('a');
  assert.equal(keys(), 'a');
  await end(0, false);
  assert.equal(keys(), 'a a');
  await end(1, false);
  assert.equal(keys(), 'a a');
  await scheduler.close();
});

test('a failed key pauses even if it is woken, and other keys continue', async () => {
  const { scheduler, begun, failures, keys, end } = stepwise(1);
  scheduler.wake('a');
  scheduler.wake('b');
  begun[0]?.reject(new Error('no'));
  await nextIteration();
  scheduler.wake('a');
  assert.equal(keys(), 'a b');
  await end(1, false);
  for (let tries = 0; begun.length < 3 && tries < 500; tries += 1) await sleep(5);
  assert.equal(keys(), 'a b a');
  begun[2]?.reject(new Error('no'));
  await nextIteration();
  assert.deepEqual(failures, [
    ['a', 1],
    ['a', 2],
  ]);
  await scheduler.close();
});

test('close aborts running steps, waits for them and starts no other steps', async () => {
  const { scheduler, begun, keys } = stepwise(1);
  scheduler.wake('a');
  scheduler.wake('b');
  let closed = false;
  const closing = scheduler.close().then(() => {
    closed = true;
  });
  await nextIteration();
  assert.equal(begun[0]?.signal.aborted, true);
  assert.equal(closed, false);
  begun[0]?.resolve(true);
  await closing;
  scheduler.wake('c');
  assert.equal(keys(), 'a');
});

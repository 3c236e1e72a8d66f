import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { BackgroundWork } from './background-work.ts';

function stepwise() {
  const begun: PromiseWithResolvers<boolean>[] = [];
  const failures: unknown[] = [];
  const work = new BackgroundWork({
    step() {
      const step = Promise.withResolvers<boolean>();
      begun.push(step);
      return step.promise;
    },
    onFailure(error) {
      failures.push(error);
      return 1;
    },
  });
  const end = async (didSomething: boolean) => {
    begun.at(-1)?.resolve(didSomething);
    await nextIteration();
  };
  return { work, begun, failures, end };
}

test('runs steps until one finds no work, and again after the next wake', async () => {
  const { work, begun, end } = stepwise();
  assert.equal(begun.length, 0);
  work.wake();
  await end(true);
  assert.equal(begun.length, 2);
  await end(false);
  assert.equal(begun.length, 2);
  work.wake();
  assert.equal(begun.length, 3);
  await end(false);
  await work.close();
});

test('many calls of `wake` cause one step, and one more step if they occur during a step', async () => {
  const { work, begun, end } = stepwise();
  for (let times = 0; times < 5; times += 1) work.wake();
  assert.equal(begun.length, 1);
  for (let times = 0; times < 5; times += 1) work.wake();
  await end(false);
  assert.equal(begun.length, 2);
  await end(false);
  assert.equal(begun.length, 2);
  await work.close();
});

test('a call of `wake` at the end of the last step is not lost', async () => {
  const { work, begun } = stepwise();
  work.wake();
  const [first] = begun;
  first?.resolve(false);
  for (let microtask = 0; microtask < 10 && begun.length === 1; microtask += 1) {
    work.wake();
    await null;
  }
  assert.equal(begun.length, 2);
  begun[1]?.resolve(false);
  await work.close();
});

test('reports a failed step and runs another step after the delay', async () => {
  const { work, begun, failures, end } = stepwise();
  work.wake();
  begun[0]?.reject(new Error('no'));
  while (begun.length === 1) await nextIteration();
  assert.deepEqual(failures, [new Error('no')]);
  await end(false);
  await work.close();
});

test('close waits for the running step, ignores its failure and prevents further steps', async () => {
  const { work, begun, failures } = stepwise();
  work.wake();
  let closed = false;
  const closing = work.close().then(() => {
    closed = true;
  });
  assert.ok(work.signal.aborted);
  await nextIteration();
  assert.ok(!closed);
  begun[0]?.reject(work.signal.reason);
  await closing;
  work.wake();
  assert.equal(begun.length, 1);
  assert.deepEqual(failures, []);
});

test('close does not wait for the end of a delay', async () => {
  const work = new BackgroundWork({
    step: () => Promise.reject(new Error('no')),
    onFailure: () => 2 ** 30,
  });
  work.wake();
  await nextIteration();
  await work.close();
});

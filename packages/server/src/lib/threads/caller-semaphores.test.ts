import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { CallerSemaphores } from './caller-semaphores.ts';
import { ReadsOverloaded, type RejectedRead } from './read-limits.ts';

function open(maxWaitMs = 60_000) {
  const rejected: RejectedRead[] = [];
  const semaphores = new CallerSemaphores({
    maxWaitMs,
    onRejected: (reason) => rejected.push(reason),
  });
  const running: (() => void)[] = [];
  const started: string[] = [];
  const run = (caller: string, name = caller, maxConcurrent = 4) =>
    semaphores.run({ caller, maxConcurrent }, async (late) => {
      started.push(name);
      await new Promise<void>((resolve) => running.push(resolve));
      late?.throwIfAborted();
      return name;
    });
  return { semaphores, rejected, running, started, run };
}

test('a caller with four permits runs four reads at a time, and the next starts when one ends', async () => {
  const { run, running, started } = open();
  const reads = ['1', '2', '3', '4', '5', '6'].map((name) => run('link a', name));
  await nextIteration();
  assert.deepEqual(started, ['1', '2', '3', '4']);
  running.shift()?.();
  assert.equal(await reads[0], '1');
  await nextIteration();
  assert.deepEqual(started, ['1', '2', '3', '4', '5']);
  while (started.length < 6 || running.length > 0) {
    running.shift()?.();
    await nextIteration();
  }
  assert.deepEqual(await Promise.all(reads), ['1', '2', '3', '4', '5', '6']);
});

test('a caller with one permit runs its reads one after another', async () => {
  const { run, running, started } = open();
  const reads = ['1', '2', '3'].map((name) => run('link a', name, 1));
  for (const expected of [['1'], ['1', '2'], ['1', '2', '3']]) {
    await nextIteration();
    assert.deepEqual(started, expected);
    assert.equal(running.length, 1);
    running.shift()?.();
  }
  assert.deepEqual(await Promise.all(reads), ['1', '2', '3']);
});

test('the reads of one caller do not use the permits of another', async () => {
  const { run, running, started } = open();
  const reads = [...Array(5).fill('link a'), 'link b'].map((caller) => run(caller));
  await nextIteration();
  assert.deepEqual(started, ['link a', 'link a', 'link a', 'link a', 'link b']);
  while (running.length > 0) {
    running.shift()?.();
    await nextIteration();
  }
  await Promise.all(reads);
});

test('a read fails if 64 reads of its caller are waiting', async () => {
  const { run, running, rejected } = open();
  const reads = Array.from({ length: 68 }, () => run('link a'));
  await assert.rejects(run('link a'), new ReadsOverloaded('caller'));
  assert.deepEqual(rejected, ['caller']);
  for (let ended = 0; ended < 68; ) {
    const end = running.shift();
    if (end !== undefined) {
      end();
      ended += 1;
    }
    await nextIteration();
  }
  await Promise.all(reads);
});

test('a read that waited too long fails, and no permit is lost', async () => {
  const { run, running, rejected } = open(20);
  const reads = Array.from({ length: 4 }, () => run('link a'));
  await assert.rejects(run('link a'), new ReadsOverloaded('caller'));
  assert.deepEqual(rejected, ['caller']);
  for (const end of running.splice(0)) end();
  await Promise.all(reads);
  const next = Array.from({ length: 4 }, () => run('link a'));
  await nextIteration();
  assert.equal(running.length, 4);
  for (const end of running.splice(0)) end();
  await Promise.all(next);
});

test('a read that waited learns when the rest of its time is over', async () => {
  const { run, running, rejected } = open(50);
  const first = Array.from({ length: 4 }, () => run('link a'));
  const late = assert.rejects(run('link a'), new ReadsOverloaded('caller'));
  await nextIteration();
  for (const end of running.splice(0)) end();
  await Promise.all(first);
  // On a busy machine, its whole time can be over before it starts.
  while (running.length === 0 && rejected.length === 0) await nextIteration();
  setTimeout(() => running.shift()?.(), 80);
  await late;
  assert.deepEqual(rejected, ['caller']);
});

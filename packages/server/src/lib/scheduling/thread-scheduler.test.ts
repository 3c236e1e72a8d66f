import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadScheduler } from './thread-scheduler.ts';

function busy(): void {
  const end = performance.now() + 3;
  while (performance.now() < end);
}

test('runs work immediately if no other work is waiting', async () => {
  const scheduler = new ThreadScheduler();
  let done = false;
  const promise = scheduler.run('a', () => {
    done = true;
    return 1;
  });
  assert.ok(done);
  assert.equal(await promise, 1);
});

test('keys take turns regardless of the amount of their work', async () => {
  const scheduler = new ThreadScheduler();
  const done: string[] = [];
  const run = (key: string) =>
    scheduler.run(key, () => {
      busy();
      done.push(key);
    });
  const many = Array.from({ length: 20 }, () => run('many'));
  await new Promise<void>((resolve) => setImmediate(resolve));
  const before = done.length;
  await run('one');
  assert.ok(done.indexOf('one') <= before + 1, done.join(' '));
  await Promise.all(many);
  assert.equal(done.length, 21);
});

test('the event loop handles other events between pieces of work', async () => {
  const scheduler = new ThreadScheduler();
  const many = Array.from({ length: 10 }, () => scheduler.run('many', busy));
  let others = 0;
  const count = () => {
    others += 1;
    if (others < 100) setImmediate(count);
  };
  count();
  await Promise.all(many);
  assert.ok(others >= 5, `${others} other turns`);
});

test('an error rejects only the call that caused it', async () => {
  const scheduler = new ThreadScheduler();
  const fail = () => {
    throw new Error('no');
  };
  const first = scheduler.run('a', busy);
  const later = [scheduler.run('a', fail), scheduler.run('b', () => 2)];
  await first;
  const [failed, went] = await Promise.allSettled(later);
  assert.equal(failed?.status, 'rejected');
  assert.deepEqual(went, { status: 'fulfilled', value: 2 });
  await assert.rejects(scheduler.run('a', fail), /no/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadScheduler } from './thread-scheduler.ts';

/** Keeps the thread for longer than a turn may. */
function busy(): void {
  const end = performance.now() + 3;
  while (performance.now() < end);
}

test('while there is little to do, it is done at once', async () => {
  const scheduler = new ThreadScheduler();
  let done = false;
  const promise = scheduler.run('a', () => {
    done = true;
    return 1;
  });
  assert.ok(done);
  assert.equal(await promise, 1);
});

test('who asks for one thing waits for one of another’s, however many those are', async () => {
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

test('everything else has its turn between', async () => {
  const scheduler = new ThreadScheduler();
  const many = Array.from({ length: 10 }, () => scheduler.run('many', busy));
  let others = 0;
  const look = () => {
    others += 1;
    if (others < 100) setImmediate(look);
  };
  look();
  await Promise.all(many);
  assert.ok(others >= 5, `${others} scheduler of others`);
});

test('work that throws fails its own caller alone', async () => {
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

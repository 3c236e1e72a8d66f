import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { TimeBudgets, type WorkOwner } from '../scheduling/index.ts';
import { FairSemaphore, type FairSemaphoreOptions } from './fair-semaphore.ts';
import { NO_READ_LIMITS, ReadsOverloaded, TimeBudgetUsed } from './read-limits.ts';

const MAX_WAIT_MS = 2000;

function ownerOf(spaceId: string, caller: string | null = `link of ${spaceId}`): WorkOwner {
  return { spaceId, caller };
}

/** A semaphore whose operations end when the test says so. */
function open(options: Partial<FairSemaphoreOptions> = {}) {
  const state = { now: 0 };
  const clock = () => state.now;
  const semaphore = new FairSemaphore({ permits: 1, name: 'test', clock, ...options });
  const running = new Map<string, () => void>();
  const started: string[] = [];
  const run = (name: string, owner: WorkOwner, signal?: AbortSignal) =>
    semaphore.run(
      owner,
      () => {
        started.push(name);
        return new Promise<string>((resolve) => running.set(name, () => resolve(name)));
      },
      signal,
    );
  /** Ends a running operation after the given time and waits until the next one has started. */
  const end = async (name: string, ms: number) => {
    await settled();
    state.now += ms;
    running.get(name)?.();
    await settled();
  };
  return { semaphore, state, run, end, started };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test('the next operation belongs to the space that used the least time', async () => {
  const { run, end, started } = open();
  const all = [run('a1', ownerOf('a')), run('a2', ownerOf('a')), run('b1', ownerOf('b'))];
  await end('a1', 100);
  all.push(run('b2', ownerOf('b')), run('b3', ownerOf('b')));
  await end('b1', 10);
  await end('b2', 10);
  await end('b3', 10);
  await end('a2', 10);
  await Promise.all(all);
  assert.deepEqual(started, ['a1', 'b1', 'b2', 'b3', 'a2']);
});

test('within a space, the next operation belongs to the caller that used the least time', async () => {
  const { run, end, started } = open();
  const [hostile, other] = [ownerOf('a', 'link 1'), ownerOf('a', 'link 2')];
  const all = [run('h1', hostile), run('h2', hostile), run('h3', hostile)];
  await end('h1', 500);
  all.push(run('o1', other));
  await end('h2', 500);
  await end('o1', 5);
  await end('h3', 5);
  await Promise.all(all);
  assert.deepEqual(started, ['h1', 'h2', 'o1', 'h3']);
});

test('the last of several permits is reserved for a space without a running operation', async () => {
  const { run, end, started } = open({ permits: 3 });
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name, ownerOf('a')));
  assert.deepEqual(started, []);
  await settled();
  assert.deepEqual(started, ['a1', 'a2']);
  all.push(run('b1', ownerOf('b')));
  await settled();
  assert.deepEqual(started, ['a1', 'a2', 'b1']);
  for (const name of ['b1', 'a1', 'a2', 'a3', 'a4']) await end(name, 1);
  assert.equal((await Promise.all(all)).length, 5);
});

test('contention is reported while an operation waits behind another caller', async () => {
  const reports: boolean[] = [];
  const { run, end } = open({ onContention: (isContended) => reports.push(isContended) });
  const all = [run('a1', ownerOf('a')), run('a2', ownerOf('a'))];
  await settled();
  assert.ok(!reports.includes(true), 'a caller does not compete with itself');
  all.push(run('b1', ownerOf('b')));
  await settled();
  assert.equal(reports.at(-1), true);
  for (const name of ['a1', 'b1', 'a2']) await end(name, 1);
  assert.equal(reports.at(-1), false);
  await Promise.all(all);
});

test('an operation that waited for two seconds fails, and the error names the owner of the running work', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const cases = [
    [ownerOf('a', 'link 1'), ownerOf('a', 'link 1'), 'caller'],
    [ownerOf('a', 'link 1'), ownerOf('a', 'link 2'), 'space'],
    [ownerOf('a', 'link 1'), ownerOf('b', 'link 2'), 'service'],
  ] as const;
  for (const [first, second, busyWith] of cases) {
    const rejected = t.mock.fn();
    const { run, end, state } = open({ limits: { ...NO_READ_LIMITS, onRejected: rejected } });
    const running = run('first', first);
    const waiting = run('second', second);
    const background = run('background', ownerOf('c', null));
    await settled();
    state.now += MAX_WAIT_MS;
    t.mock.timers.tick(MAX_WAIT_MS);
    await assert.rejects(waiting, new ReadsOverloaded(busyWith));
    assert.deepEqual(rejected.mock.calls[0]?.arguments, [busyWith]);
    await end('first', 1);
    await end('background', 1);
    assert.deepEqual(await Promise.all([running, background]), ['first', 'background']);
  }
});

test('all steps of an operation together wait for at most two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { semaphore, state, run, end } = open();
  const stepping = semaphore.runSteps(ownerOf('a'), async () => {
    state.now += 30;
    return { result: null };
  });
  const outcome = assert.rejects(stepping, new ReadsOverloaded('service'));
  const all: Promise<string>[] = [];
  for (let n = 0; n < 4; n += 1) all.push(run(`b${n}`, ownerOf(`b${n}`)));
  for (let n = 0; n < 4; n += 1) {
    await settled();
    t.mock.timers.tick(600);
    await end(`b${n}`, 600);
  }
  await outcome;
  await Promise.all(all);
});

test('a search that waits too long while its space is loaded fails with the reason `loading`', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { semaphore, state, run } = open();
  const stepMs = 500;
  const load = semaphore.runSteps(ownerOf('a', 'link 1'), async () => {
    state.now += stepMs;
    t.mock.timers.tick(stepMs);
    const isLoaded = state.now > MAX_WAIT_MS;
    return { result: isLoaded ? 'loaded' : null, charge: { ms: stepMs, isShared: true } };
  });
  const search = run('search', ownerOf('a', 'link 2'));
  await assert.rejects(search, new ReadsOverloaded('loading'));
  assert.equal(await load, 'loaded');
});

test('a caller with 64 waiting operations, and a space with 256, cannot add another one', async () => {
  const { run, semaphore, end } = open();
  const owner = (caller: number) => ownerOf('a', `link ${caller}`);
  const running = run('running', ownerOf('b'));
  const waiting = Array.from({ length: 256 }, (_, n) => run(`${n}`, owner(n >> 6)));
  const outcomes = Promise.allSettled(waiting);
  await assert.rejects(run('more', owner(0)), new ReadsOverloaded('caller'));
  await assert.rejects(run('more', owner(9)), new ReadsOverloaded('space'));
  semaphore.failAll(new Error('closed'));
  for (const { status } of await outcomes) assert.equal(status, 'rejected');
  await end('running', 1);
  assert.equal(await running, 'running');
});

test('a caller that has used up its budget is rejected, at the start and between steps', async () => {
  const state = { now: 0 };
  const clock = () => state.now;
  const budgets = new TimeBudgets(() => ({ msPerSecond: 100 }), clock);
  const semaphore = new FairSemaphore({
    permits: 1,
    name: 'test',
    clock,
    limits: { ...NO_READ_LIMITS, budgets },
  });
  let steps = 0;
  const stepping = semaphore.runSteps(ownerOf('a'), async () => {
    steps += 1;
    return { result: null, charge: { ms: 300, isShared: false } };
  });
  await assert.rejects(stepping, new TimeBudgetUsed('link of a', 2000));
  assert.equal(steps, 4, 'the budget is 100 ms per second for ten seconds');
  const work = async () => 'done';
  await assert.rejects(semaphore.run(ownerOf('a'), work), { name: 'TimeBudgetUsed' });
  assert.equal(await semaphore.run(ownerOf('b'), work), 'done');
  assert.equal(await semaphore.run(ownerOf('a', null), work), 'done');
  state.now += 2001;
  assert.equal(await semaphore.run(ownerOf('a'), work), 'done');
});

test('shared work does not use up the budget of a caller', async () => {
  const budgets = new TimeBudgets(
    () => ({ msPerSecond: 100 }),
    () => 0,
  );
  const charge = mock.method(budgets, 'charge');
  const limits = { ...NO_READ_LIMITS, budgets };
  const semaphore = new FairSemaphore({ permits: 1, name: 'test', clock: () => 0, limits });
  await semaphore.runSteps(ownerOf('a'), async () => ({
    result: 'loaded',
    charge: { ms: 5000, isShared: true },
  }));
  assert.equal(charge.mock.callCount(), 0);
  assert.equal(budgets.waitMs('link of a'), 0);
});

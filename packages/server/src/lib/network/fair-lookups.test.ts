import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairLookups, type Resolve } from './fair-lookups.ts';

const FOUND = [{ address: '192.0.2.1', family: 4 }];

/** Creates a resolver that ends a lookup when the test says so. */
function controlled() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const resolve: Resolve = (hostname) => {
    started.push(hostname);
    const { promise, resolve: end } = Promise.withResolvers<typeof FOUND>();
    ends.set(hostname, () => end(FOUND));
    return promise;
  };
  return { started, resolve, end: (hostname: string) => ends.get(hostname)?.() };
}

test('a space has one lookup at a time, and spaces alternate', async () => {
  const { started, resolve, end } = controlled();
  const lookups = new FairLookups({ resolve });
  const results = ['a1', 'a2', 'a3'].map((name) => lookups.of('a')(name));
  results.push(lookups.of('b')('b1'), lookups.of('c')('c1'));
  assert.deepEqual(started, ['a1', 'b1']);
  end('a1');
  await results[0];
  await sleep(0);
  assert.deepEqual(started, ['a1', 'b1', 'a2']);
  end('a2');
  await results[1];
  await sleep(0);
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'c1']);
  for (const name of ['b1', 'c1']) end(name);
  await sleep(0);
  end('a3');
  assert.deepEqual(await Promise.all(results), [FOUND, FOUND, FOUND, FOUND, FOUND]);
});

test('spaces with slow lookups do not delay a space with fast ones', async () => {
  const { started, resolve, end } = controlled();
  const lookups = new FairLookups({ resolve, slowMs: 5 });
  const slow = ['a', 'b'].map((space) => lookups.of(space)(`${space}1`));
  await sleep(20);
  for (const name of ['a1', 'b1']) end(name);
  await Promise.all(slow);
  for (const space of ['a', 'b'])
    lookups
      .of(space)(`${space}2`)
      .catch(() => {});
  const quiet = lookups.of('quiet')('quiet1');
  await sleep(0);
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'quiet1']);
  end('quiet1');
  assert.deepEqual(await quiet, FOUND);
  await sleep(0);
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'quiet1']);
  end('a2');
  await sleep(0);
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'quiet1', 'b2']);
});

test('concurrent lookups of one name are one lookup, but not those of other spaces', async () => {
  const { started, resolve, end } = controlled();
  const lookups = new FairLookups({ resolve });
  const results = ['a', 'a', 'b'].map((space) => lookups.of(space)('same'));
  assert.deepEqual(started, ['same', 'same']);
  end('same');
  assert.deepEqual(await results[2], FOUND);
});

test('a lookup that has waited too long fails without being started', async () => {
  const { started, resolve, end } = controlled();
  const lookups = new FairLookups({ resolve, maxWaitMs: 10 });
  const first = lookups.of('a')('a1');
  const second = lookups.of('a')('a2');
  await sleep(20);
  end('a1');
  await first;
  await assert.rejects(second, /not looked up in time/);
  assert.deepEqual(started, ['a1']);
});

test('a failed lookup does not stop later ones', async () => {
  const resolve: Resolve = (hostname) =>
    hostname === 'a1' ? Promise.reject(new Error('not found')) : Promise.resolve(FOUND);
  const lookups = new FairLookups({ resolve });
  const failed = assert.rejects(lookups.of('a')('a1'), /not found/);
  assert.deepEqual(await lookups.of('a')('a2'), FOUND);
  await failed;
});

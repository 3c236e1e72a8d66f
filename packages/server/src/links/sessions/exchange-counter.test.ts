import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CountedExchanges } from '../links/link.repository.ts';
import { createExchangeCounter } from './exchange-counter.ts';

const unexpected = (error: unknown) => assert.fail(String(error));

function record() {
  const writes: unknown[][] = [];
  const links = {
    addExchanges: async (counted: readonly CountedExchanges[]) => {
      for (const { spaceId, id, count, at } of counted) writes.push([spaceId, id, count, at]);
    },
  };
  return { writes, links };
}

test('the counts of each link are summed and written together', async () => {
  const { writes, links } = record();
  const counter = createExchangeCounter(links, unexpected);
  counter.count('space', 'a', 1);
  counter.count('space', 'b', 2);
  counter.count('space', 'a', 3);
  await counter.drain();
  assert.deepEqual(writes, [
    ['space', 'a', 2, 3],
    ['space', 'b', 1, 2],
  ]);
  await counter.drain();
  assert.equal(writes.length, 2);
});

test('exchange counts are written after one second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { writes, links } = record();
  const counter = createExchangeCounter(links, unexpected);
  counter.count('space', 'a', 1);
  t.mock.timers.tick(999);
  await Promise.resolve();
  assert.equal(writes.length, 0);
  t.mock.timers.tick(1);
  await Promise.resolve();
  assert.equal(writes.length, 1);
});

test('a failed write of exchange counts is reported once, and later counts are written', async () => {
  const problem = new Error('disk full');
  const errors: unknown[] = [];
  let failing = true;
  const counted: number[] = [];
  const links = {
    addExchanges: async (some: readonly CountedExchanges[]) => {
      if (failing) throw problem;
      for (const { count } of some) counted.push(count);
    },
  };
  const counter = createExchangeCounter(links, (error) => errors.push(error));
  counter.count('space', 'a', 1);
  counter.count('space', 'b', 1);
  await counter.drain();
  assert.deepEqual(errors, [problem]);
  failing = false;
  counter.count('space', 'a', 2);
  await counter.drain();
  assert.deepEqual(counted, [1]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShortCache } from './short-cache.ts';

function counted() {
  const time = { now: 1, reads: 0 };
  const cache = new ShortCache<string>({ maxAge: 1000, maxSize: 2, now: () => time.now });
  const get = (key: string) =>
    cache.get(key, async () => {
      time.reads += 1;
      return `${key}${time.reads}`;
    });
  return { time, cache, get };
}

test('a value is read at most once per second', async () => {
  const { time, get } = counted();
  assert.equal(await get('a'), 'a1');
  time.now = 1001;
  assert.equal(await get('a'), 'a1');
  time.now = 1002;
  assert.equal(await get('a'), 'a2');
});

test('a value is read again after `forget`', async () => {
  const { cache, get } = counted();
  await get('a');
  cache.forget();
  assert.equal(await get('a'), 'a2');
});

test('the result of a read that started before `forget` is not cached', async () => {
  const { cache, get } = counted();
  const { promise, resolve } = Promise.withResolvers<string>();
  const reading = cache.get('a', () => promise);
  cache.forget();
  resolve('stale');
  assert.equal(await reading, 'stale');
  assert.equal(await get('a'), 'a1');
});

test('a miss is not cached', async () => {
  const { cache, get } = counted();
  assert.equal(await cache.get('a', async () => null), null);
  assert.equal(await get('a'), 'a1');
});

test('the least recently used value is dropped when the cache is full', async () => {
  const { get } = counted();
  await get('a');
  await get('b');
  await get('c');
  assert.equal(await get('c'), 'c3');
  assert.equal(await get('b'), 'b2');
  assert.equal(await get('a'), 'a4');
});

test('a failed read is not cached', async () => {
  const { cache, get } = counted();
  await assert.rejects(cache.get('a', () => Promise.reject(new Error('no'))));
  assert.equal(await get('a'), 'a1');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedReads } from './shared-reads.ts';

function createReads() {
  const reads = new SharedReads<string>();
  const begun: PromiseWithResolvers<string>[] = [];
  const get = (key = 'key') =>
    reads.get(key, () => {
      const reading = Promise.withResolvers<string>();
      begun.push(reading);
      return reading.promise;
    });
  return { begun, get };
}

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

test('callers that arrive during a read share the next read', async () => {
  const { begun, get } = createReads();
  const first = get();
  const [second, third] = [get(), get()];
  assert.equal(begun.length, 1);
  begun[0]?.resolve('before');
  assert.equal(await first, 'before');
  await nextIteration();
  assert.equal(begun.length, 2);
  begun[1]?.resolve('after');
  assert.deepEqual(await Promise.all([second, third]), ['after', 'after']);
});

test('values are not cached', async () => {
  const { begun, get } = createReads();
  for (const value of ['one', 'two']) {
    const read = get();
    begun.at(-1)?.resolve(value);
    assert.equal(await read, value);
  }
});

test('a failed read does not affect the next read', async () => {
  const { begun, get } = createReads();
  const first = get();
  const [second, third] = [get(), get()];
  begun[0]?.reject(new Error('away'));
  await assert.rejects(first, /away/);
  await nextIteration();
  begun[1]?.resolve('there');
  assert.deepEqual(await Promise.all([second, third]), ['there', 'there']);
});

test('reads of different keys run concurrently', async () => {
  const { begun, get } = createReads();
  void get('one');
  void get('other');
  assert.equal(begun.length, 2);
});

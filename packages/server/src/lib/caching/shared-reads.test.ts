import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedReads } from './shared-reads.ts';

/** Reads that end when they are told to. */
function held() {
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

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('who asks while a read is under way gets what one gives that began later, and shares it', async () => {
  const { begun, get } = held();
  const first = get();
  const [second, third] = [get(), get()];
  assert.equal(begun.length, 1);
  begun[0]?.resolve('before');
  assert.equal(await first, 'before');
  await turn();
  assert.equal(begun.length, 2);
  begun[1]?.resolve('after');
  assert.deepEqual(await Promise.all([second, third]), ['after', 'after']);
});

test('nothing is remembered', async () => {
  const { begun, get } = held();
  for (const value of ['one', 'two']) {
    const read = get();
    begun.at(-1)?.resolve(value);
    assert.equal(await read, value);
  }
});

test('a read that fails fails those who share it, and not the next', async () => {
  const { begun, get } = held();
  const first = get();
  const [second, third] = [get(), get()];
  begun[0]?.reject(new Error('away'));
  await assert.rejects(first, /away/);
  await turn();
  begun[1]?.resolve('there');
  assert.deepEqual(await Promise.all([second, third]), ['there', 'there']);
});

test('keys do not wait for each other', async () => {
  const { begun, get } = held();
  void get('one');
  void get('other');
  assert.equal(begun.length, 2);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_WORDS, RecentKeys } from './identity-keys.ts';
import { keysOf, range } from './keys.suite.ts';

const words = keysOf(range(0, 6000));
const add = (keys: RecentKeys, from: number, to: number) => {
  for (let key = from; key < to; key += 1) keys.add(words, key * KEY_WORDS);
};
const held = (keys: RecentKeys) => range(0, 6000).filter((key) => keys.has(words, key * KEY_WORDS));

test('a set contains all added keys after it has grown', () => {
  const keys = new RecentKeys();
  add(keys, 0, 5000);
  assert.deepEqual(held(keys), range(0, 5000));
  assert.equal(keys.size, 5000);
  assert.deepEqual(keys.words, words.subarray(0, 5000 * KEY_WORDS));
});

test('a rollback removes the keys since the last commit, even if the set has grown', () => {
  const keys = new RecentKeys();
  add(keys, 0, 900);
  keys.commit();
  add(keys, 900, 5000);
  keys.rollBack();
  assert.deepEqual(held(keys), range(0, 900));
  add(keys, 2000, 2100);
  keys.commit();
  keys.rollBack();
  assert.deepEqual(held(keys), [...range(0, 900), ...range(2000, 2100)]);
});

test('keys that differ only in the last word are different', () => {
  const twins = Uint32Array.of(1, 2, 3, 4, 1, 2, 3, 5);
  const keys = new RecentKeys();
  keys.add(twins, 0);
  assert.equal(keys.has(twins, KEY_WORDS), false);
  keys.add(twins, KEY_WORDS);
  assert.ok(keys.has(twins, 0) && keys.has(twins, KEY_WORDS));
});

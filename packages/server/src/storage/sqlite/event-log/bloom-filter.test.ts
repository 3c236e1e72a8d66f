import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BloomFilter } from './bloom-filter.ts';
import { KEY_WORDS } from './identity-keys.ts';
import { keysOf, range } from './keys.suite.ts';

const KEYS = 50_000;
const added = keysOf(range(0, KEYS));
const others = keysOf(range(KEYS, 3 * KEYS));

function filled(): BloomFilter {
  const filter = BloomFilter.for(KEYS);
  for (let at = 0; at < added.length; at += KEY_WORDS) filter.add(added, at);
  return filter;
}

function countMatches(filter: BloomFilter, words: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; at += KEY_WORDS) if (filter.mayHold(words, at)) count += 1;
  return count;
}

test('a filter matches every added key', () => {
  assert.equal(countMatches(filled(), added), KEYS);
});

test('a filter matches fewer than 2% of other keys', () => {
  const rate = countMatches(filled(), others) / (2 * KEYS);
  assert.ok(rate < 0.02, `${rate}`);
});

test('a serialised and parsed filter matches the same keys', () => {
  const filter = filled();
  const read = BloomFilter.from(filter.toBytes().slice());
  assert.equal(countMatches(read, added), KEYS);
  assert.equal(countMatches(read, others), countMatches(filter, others));
});

test('an empty filter matches no key', () => {
  assert.equal(countMatches(BloomFilter.for(KEYS), others), 0);
  assert.equal(countMatches(BloomFilter.for(0), others), 0);
});

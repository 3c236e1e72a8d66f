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

function passing(filter: BloomFilter, words: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; at += KEY_WORDS) if (filter.mayHold(words, at)) count += 1;
  return count;
}

test('a filter lets every key pass that was added', () => {
  assert.equal(passing(filled(), added), KEYS);
});

test('a filter lets fewer than 2 % of the other keys pass', () => {
  const rate = passing(filled(), others) / (2 * KEYS);
  assert.ok(rate < 0.02, `${rate}`);
});

test('a filter that was written and read lets the same keys pass', () => {
  const filter = filled();
  const read = BloomFilter.from(filter.toBytes().slice());
  assert.equal(passing(read, added), KEYS);
  assert.equal(passing(read, others), passing(filter, others));
});

test('an empty filter, and one for no keys at all, let nothing pass', () => {
  assert.equal(passing(BloomFilter.for(KEYS), others), 0);
  assert.equal(passing(BloomFilter.for(0), others), 0);
});

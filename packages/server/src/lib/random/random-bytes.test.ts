import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pooledRandomBytes } from './random-bytes.ts';

test('returns different bytes for each call, also across blocks, and never zeros', () => {
  const seen = new Set<string>();
  for (let call = 0; call < 1000; call += 1) {
    const bytes = pooledRandomBytes(call % 2 === 0 ? 32 : 12);
    assert.equal(bytes.length, call % 2 === 0 ? 32 : 12);
    assert.notEqual(bytes.filter((byte) => byte !== 0).length, 0);
    seen.add(bytes.toString('hex'));
  }
  assert.equal(seen.size, 1000);
});

test('does not change bytes that were returned earlier', () => {
  const first = pooledRandomBytes(32);
  const copy = first.toString('hex');
  for (let call = 0; call < 300; call += 1) pooledRandomBytes(32).fill(1);
  assert.equal(first.toString('hex'), copy);
});

test('fills a whole block, and rejects more', () => {
  assert.equal(pooledRandomBytes(4096).length, 4096);
  assert.throws(() => pooledRandomBytes(4097), RangeError);
});

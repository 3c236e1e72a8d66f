import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stemPrefix } from './query.ts';

test('removes up to three letters of a longer word and keeps at least five letters', () => {
  assert.equal(stemPrefix('vaccinations'), 'vaccinati');
  assert.equal(stemPrefix('machines'), 'machi');
  assert.equal(stemPrefix('badges'), 'badge');
  assert.equal(stemPrefix('погрузчики'), 'погрузч');
});

test('returns a word of four or five letters unchanged', () => {
  assert.equal(stemPrefix('gift'), 'gift');
  assert.equal(stemPrefix('badge'), 'badge');
});

test('returns null for short words and words with digits', () => {
  for (const word of ['the', 'x', 'ab1234', '2024', 'c++']) assert.equal(stemPrefix(word), null);
});

test('does not split surrogate pairs', () => {
  assert.equal(stemPrefix('𐌰𐌱𐌲𐌳𐌴𐌵𐌶'), '𐌰𐌱𐌲𐌳𐌴');
});

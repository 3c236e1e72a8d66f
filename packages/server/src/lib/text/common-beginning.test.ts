import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonBeginning } from './query.ts';

test('a longer word is taken without its ending, and keeps five letters', () => {
  assert.equal(commonBeginning('vaccinations'), 'vaccinati');
  assert.equal(commonBeginning('machines'), 'machi');
  assert.equal(commonBeginning('badges'), 'badge');
  assert.equal(commonBeginning('погрузчики'), 'погрузч');
});

test('a word of four or five letters is its own beginning', () => {
  assert.equal(commonBeginning('gift'), 'gift');
  assert.equal(commonBeginning('badge'), 'badge');
});

test('short words and words with digits have none', () => {
  for (const word of ['the', 'x', 'ab1234', '2024', 'c++'])
    assert.equal(commonBeginning(word), null);
});

test('letters beyond the basic plane are not cut in half', () => {
  assert.equal(commonBeginning('𐌰𐌱𐌲𐌳𐌴𐌵𐌶'), '𐌰𐌱𐌲𐌳𐌴');
});

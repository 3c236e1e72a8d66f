import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';

const unicode = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('Σ', 'σ', 'ς', 'Α', 'İ', 'I', 'ß', '.', ' ', '😀', '\u0307') }),
);

test('strings that are equal in lower case are equal when folded', () => {
  fc.assert(
    fc.property(unicode, (text) => {
      assert.equal(fold(text), fold(text.toLowerCase()));
    }),
  );
});

test('a sigma folds by its place, as Unicode has it', () => {
  assert.equal(fold('ΣΑΣ'), 'σας');
  assert.notEqual(fold('ς'), fold('σ'));
});

test('folding lowers and does not expand: ß is not ss, and a dotted capital I keeps its dot', () => {
  assert.notEqual(fold('ß'), fold('SS'));
  assert.equal(fold('ẞ'), 'ß');
  assert.equal(fold('İ'), 'i\u0307');
  assert.notEqual(fold('İ'), fold('i'));
  assert.equal(fold('𐐀'), '𐐨');
});

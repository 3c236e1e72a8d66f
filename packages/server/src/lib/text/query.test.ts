import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from './arbitraries.ts';
import { isEmpty, MOST_QUERY_TERMS, readQuery } from './query.ts';

function terms(text: string): string[] {
  return readQuery(text).terms.map(({ term }) => term);
}

test('a query without a letter, a digit or a pictograph is empty', () => {
  for (const text of ['', '   ', '"" *', '?!…', '-', '(:)', '\ud800']) {
    assert.ok(isEmpty(readQuery(text)), text);
  }
  for (const text of ['a', '1', '字', '🎉', '"x"']) assert.ok(!isEmpty(readQuery(text)), text);
});

test('a term counts once, however often it is written', () => {
  assert.deepEqual(terms('Größe grosse GRÖSSE'), ['grosse']);
});

test('a phrase counts once, however often it is written', () => {
  const { phrases } = readQuery('"red wine" “Red Wine” "red" "wine red"');
  assert.deepEqual(
    phrases.map(({ terms: found }) => found),
    [['red', 'wine'], ['red'], ['wine', 'red']],
  );
});

test('at most 32 terms are looked for, those of phrases included', () => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');
  assert.equal(readQuery(words).terms.length, MOST_QUERY_TERMS);
  const both = readQuery(`"${words.slice(0, 150)}" ${words}`);
  const phrased = both.phrases.flatMap(({ terms: found }) => found).length;
  assert.equal(phrased + both.terms.length, MOST_QUERY_TERMS);
});

test('the last word is unfinished unless something follows it or the caller says so', () => {
  const prefixes = (text: string, unfinished?: boolean) =>
    readQuery(text, unfinished === undefined ? {} : { unfinished }).terms.map(
      ({ prefix }) => prefix,
    );
  assert.deepEqual(prefixes('big cat'), [null, 'cat']);
  assert.deepEqual(prefixes('big cat '), [null, null]);
  assert.deepEqual(prefixes('big cat?'), [null, null]);
  assert.deepEqual(prefixes('big ca'), [null, null]);
  assert.deepEqual(prefixes('big cat', false), [null, null]);
});

test('a letter of an unspaced script that stands alone finds the pairs that begin with it', () => {
  assert.deepEqual(readQuery('字 ').terms, [{ term: '字', prefix: '字' }]);
});

test('quotation marks make a phrase where they stand around words, and are text elsewhere', () => {
  for (const text of ['"red wine"', '“red wine”', '„red wine“', '«red wine»']) {
    assert.deepEqual(readQuery(text), {
      terms: [],
      phrases: [{ terms: ['red', 'wine'], prefix: false }],
    });
  }
  assert.deepEqual(readQuery('"red wine').phrases, []);
  assert.deepEqual(readQuery('5" and 6" pipes').phrases, []);
});

test('every string is a query of at most 32 terms', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const query = readQuery(text);
      const phrased = query.phrases.flatMap(({ terms: found }) => found).length;
      assert.ok(query.terms.length + phrased <= MOST_QUERY_TERMS);
      assert.ok(query.phrases.every(({ terms: found }) => found.length > 0));
    }),
    { numRuns: 1000 },
  );
});

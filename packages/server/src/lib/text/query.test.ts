import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { anyText } from './arbitraries.ts';
import { isEmpty, MAX_QUERY_TERMS, readQuery } from './query.ts';

function terms(text: string): string[] {
  return readQuery(text).terms.map(({ term }) => term);
}

test('a query without letters, digits and pictographs is empty', () => {
  for (const text of ['', '   ', '"" *', '?!…', '-', '(:)', '\ud800']) {
    assert.ok(isEmpty(readQuery(text)), text);
  }
  for (const text of ['a', '1', '字', '🎉', '"x"']) assert.ok(!isEmpty(readQuery(text)), text);
});

test('duplicate terms are removed', () => {
  assert.deepEqual(terms('Größe grosse GRÖSSE'), ['grosse']);
});

test('duplicate phrases are removed', () => {
  const { phrases } = readQuery('"red wine" “Red Wine” "red" "wine red"');
  assert.deepEqual(
    phrases.map(({ terms: found }) => found),
    [['red', 'wine'], ['red'], ['wine', 'red']],
  );
});

test('a query has at most 32 terms, including those of phrases', () => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');
  assert.equal(readQuery(words).terms.length, MAX_QUERY_TERMS);
  const both = readQuery(`"${words.slice(0, 150)}" ${words}`);
  const phrased = both.phrases.flatMap(({ terms: found }) => found).length;
  assert.equal(phrased + both.terms.length, MAX_QUERY_TERMS);
});

test('the last word is a prefix unless other text follows or the option is off', () => {
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

test('a single letter of a script without spaces matches pairs that start with this letter', () => {
  assert.deepEqual(readQuery('字 ').terms, [{ term: '字', prefix: '字' }]);
});

test('quotation marks form a phrase only around words', () => {
  for (const text of ['"red wine"', '“red wine”', '„red wine“', '«red wine»']) {
    assert.deepEqual(readQuery(text), {
      terms: [],
      phrases: [{ terms: ['red', 'wine'], prefix: false }],
    });
  }
  assert.deepEqual(readQuery('"red wine').phrases, []);
  assert.deepEqual(readQuery('5" and 6" pipes').phrases, []);
});

test('every string is a valid query with at most 32 terms', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const query = readQuery(text);
      const phrased = query.phrases.flatMap(({ terms: found }) => found).length;
      assert.ok(query.terms.length + phrased <= MAX_QUERY_TERMS);
      assert.ok(query.phrases.every(({ terms: found }) => found.length > 0));
    }),
    { numRuns: roundsOf(200, 1000) },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { TermDictionary } from './term-dictionary.ts';

test('terms are numbered in the order in which they are added and keep their numbers', () => {
  const dictionary = new TermDictionary();
  const terms = Array.from({ length: 20_000 }, (_, index) => `term${index.toString(36)}`);
  for (const [index, term] of terms.entries())
    assert.equal(dictionary.add(Buffer.from(term)), index);
  for (const [index, term] of terms.entries()) {
    assert.equal(dictionary.add(Buffer.from(term)), index);
    assert.equal(dictionary.find(Buffer.from(term)), index);
  }
  assert.equal(dictionary.find(Buffer.from('term')), -1);
  assert.equal(dictionary.size, terms.length);
});

test('a prefix search finds sorted and unsorted terms', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '字', '🎉'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(word), fc.array(word), word, (first, second, prefix) => {
      const dictionary = new TermDictionary();
      for (const term of first) dictionary.add(Buffer.from(term));
      // Add enough terms that the next prefix search sorts them.
      for (let index = 0; index < 5000; index++) dictionary.add(Buffer.from(`x${index}`));
      dictionary.withPrefix(Buffer.from('x'));
      for (const term of second) dictionary.add(Buffer.from(term));
      const found = Array.from(dictionary.withPrefix(Buffer.from(prefix)), (term) =>
        textOf(dictionary, term),
      );
      const expected = new Set([...first, ...second].filter((term) => term.startsWith(prefix)));
      assert.deepEqual(
        found.filter((term) => !term.startsWith('x')).toSorted(),
        [...expected].toSorted(),
      );
    }),
    { numRuns: roundsOf(15, 100) },
  );
});

function textOf(dictionary: TermDictionary, term: number): string {
  return Buffer.from(dictionary.bytesOf(term)).toString();
}

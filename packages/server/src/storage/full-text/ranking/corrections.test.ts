import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { readQuery } from '../../../lib/text/index.ts';
import { encodeTermVectors, TermDictionary, TermIndex } from '../terms/index.ts';
import { editDistance } from './edit-distance.ts';
import { groupsOf, passagesOf, rank } from './index.ts';
import { naiveDistance } from './naive-ranking.suite.ts';

/** Returns the texts that a query finds among the visible texts, best first. */
function find(query: string, visible: readonly string[], hidden: readonly string[] = []): string[] {
  const index = new TermIndex();
  const texts = [...hidden, ...visible];
  for (const [number, body] of texts.entries())
    index.add(number, [encodeTermVectors([{ title: '', heading: '', body }])]);
  const numbers = texts.keys().drop(hidden.length);
  const ranked = rank(index, passagesOf(index, numbers), groupsOf(index, readQuery(query)), 10);
  return ranked.map(({ ordinal }) => texts[index.documentOf(ordinal).number] ?? '');
}

test('a misspelt word finds the most similar word', () => {
  const texts = ['an invoice', 'the reimbursement', 'Größe', 'накладная', 'فاتورة'];
  assert.deepEqual(find('invocie ', texts), ['an invoice']);
  assert.deepEqual(find('invoise ', texts), ['an invoice']);
  assert.deepEqual(find('remburcement ', texts), ['the reimbursement']);
  assert.deepEqual(find('grösee ', texts), ['Größe']);
  assert.deepEqual(find('накалдная ', texts), ['накладная']);
  assert.deepEqual(find('فاتوره ', texts), ['فاتورة']);
});

test('a misspelt word finds other forms of the correct word', () => {
  assert.deepEqual(find('reciepts ', ['one receipt', 'a recipe']), ['one receipt']);
});

test('words of four letters may have one error, and words of eight letters two', () => {
  assert.deepEqual(find('trip ', ['trap', 'train']), ['trap']);
  assert.deepEqual(find('tap ', ['trap', 'top']), []);
  assert.deepEqual(find('calandxr ', ['calendar']), ['calendar']);
  assert.deepEqual(find('calndr ', ['calendar']), []);
});

test('a word is not corrected if the scope contains the word or another form of the word', () => {
  assert.deepEqual(find('trip ', ['trap', 'trip']), ['trip']);
  assert.deepEqual(find('warehouses ', ['wirehouses', 'one warehouse']), ['one warehouse']);
});

test('numbers, codes, phrases and compounds are not corrected', () => {
  assert.deepEqual(find('ab1234 ', ['ab1235']), []);
  assert.deepEqual(find('"invocie" ', ['an invoice']), []);
  assert.deepEqual(find('wi-fi ', ['wife']), []);
});

test('only words of the scope are corrections', () => {
  assert.deepEqual(find('merher ', ['mercer'], ['merger']), ['mercer']);
  // The hidden words are more similar or more frequent.
  assert.deepEqual(find('calandxr ', ['calendar'], ['calandar', 'calandar']), ['calendar']);
  assert.deepEqual(find('trip ', ['trap', 'trap', 'trim'], ['trip', 'trim', 'trim', 'trim']), [
    'trap',
    'trap',
    'trim',
  ]);
});

test('a dictionary returns all terms within an edit distance that start with the same letter', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 's', 'ä', 'я', '🎉'), maxLength: 9 });
  fc.assert(
    fc.property(fc.array(word), word, fc.constantFrom(1, 2), (terms, sought, maximum) => {
      const dictionary = new TermDictionary();
      for (const term of terms) dictionary.add(Buffer.from(term));
      const numbers = dictionary.similarTo(Buffer.from(sought), maximum);
      const found = numbers.map((term) => Buffer.from(dictionary.bytesOf(term)).toString());
      const [first] = sought;
      for (const term of terms)
        if ([...term][0] === first && naiveDistance([...term], [...sought]) <= maximum)
          assert.ok(found.includes(term));
    }),
    { numRuns: roundsOf(100, 500) },
  );
});

test('the edit distance up to a maximum is the same as by its definition', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ä', '🎉'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 1, max: 3 }), (one, other, maximum) => {
      const expected = naiveDistance([...one], [...other]);
      const distance = editDistance(lettersOf(one), lettersOf(other), maximum);
      assert.equal(Math.min(distance, maximum + 1), Math.min(expected, maximum + 1));
    }),
    { numRuns: roundsOf(1000, 50_000) },
  );
});

function lettersOf(word: string): Uint32Array {
  return Uint32Array.from(word, (letter) => letter.codePointAt(0) ?? 0);
}

test('the edit distance counts added, removed, replaced and transposed letters', () => {
  const distance = (one: string, other: string) =>
    editDistance(lettersOf(one), lettersOf(other), 3);
  assert.equal(distance('invoice', 'invoice'), 0);
  assert.equal(distance('invoce', 'invoice'), 1);
  assert.equal(distance('invooice', 'invoice'), 1);
  assert.equal(distance('invoise', 'invoice'), 1);
  assert.equal(distance('invocie', 'invoice'), 1);
  assert.equal(distance('nivocie', 'invoice'), 2);
  assert.equal(distance('🎉🎈', '🎉🎊'), 1);
  assert.ok(distance('amber', 'beacon') > 3);
  assert.ok(distance('a', 'amber') > 3);
});

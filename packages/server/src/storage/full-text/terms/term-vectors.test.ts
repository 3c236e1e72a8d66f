import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../lib/text/arbitraries.ts';
import { tokenise } from '../../../lib/text/index.ts';
import { decodeTermVectors, encodeTermVectors, type SearchableTexts } from './term-vectors.ts';

const FIELDS = ['title', 'heading', 'body'] as const;
const anyPassage = fc.record({ title: anyText, heading: anyText, body: anyText });

function decoded(bytes: Uint8Array) {
  const lengths: number[] = [];
  const found: string[] = [];
  let term = '';
  decodeTermVectors(bytes, {
    passage: (length) => lengths.push(length),
    term: (all, start, end) => {
      term = Buffer.from(all.subarray(start, end)).toString();
    },
    occurrence: (passage, ...frequencies) => found.push(`${passage} ${term} ${frequencies}`),
  });
  return { lengths, found: found.sort() };
}

function counted(passages: readonly SearchableTexts[]) {
  const terms = passages.map((passage) =>
    FIELDS.map((field) => tokenise(passage[field]).map(({ term }) => term)),
  );
  const found = terms.flatMap((fields, index) =>
    [...new Set(fields.flat())].map((term) => {
      const counts = fields.map((own) => Math.min(255, own.filter((one) => one === term).length));
      return `${index} ${term} ${counts}`;
    }),
  );
  return { lengths: terms.map((fields) => fields.flat().length), found: found.sort() };
}

test('decoding returns the length of each passage and the frequencies of each term', () => {
  fc.assert(
    fc.property(fc.array(anyPassage, { maxLength: 8 }), (passages) => {
      assert.deepEqual(decoded(encodeTermVectors(passages)), counted(passages));
    }),
    { numRuns: 300 },
  );
});

test('the terms of ASCII texts equal those of the tokeniser', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
    fc.constantFrom(
      ' ',
      '\n',
      '\t',
      ' (The) ',
      'C++ ',
      'F#',
      "don't",
      '"end."',
      'a'.repeat(70),
      'é',
      ' ü',
      '#x',
      '3,5',
    ),
  );
  const ascii = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      fc.array(fc.record({ title: ascii, heading: ascii, body: ascii }), { maxLength: 4 }),
      (passages) => {
        assert.deepEqual(decoded(encodeTermVectors(passages)), counted(passages));
      },
    ),
    { numRuns: 300 },
  );
});

test('thousands of distinct terms are counted', () => {
  const body = Array.from({ length: 2500 }, (_, n) => `w${n}é w${n % 1300}`).join(' ');
  const passages = [body, body].map((text) => ({ title: '', heading: 'w1', body: text }));
  assert.deepEqual(decoded(encodeTermVectors(passages)), counted(passages));
});

test('frequencies above 255 are stored as 255', () => {
  const body = 'word '.repeat(1000);
  assert.deepEqual(decoded(encodeTermVectors([{ title: '', heading: '', body }])), {
    lengths: [1000],
    found: ['0 word 0,0,255'],
  });
});

test('truncated bytes and an unknown version are rejected', () => {
  const bytes = encodeTermVectors([{ title: 'One', heading: 'two', body: 'three four' }]);
  for (let length = 0; length < bytes.length; length++)
    assert.throws(() => decoded(bytes.slice(0, length)), RangeError, `${length} bytes`);
  assert.throws(() => decoded(Uint8Array.of(2, ...bytes.slice(1))), RangeError);
});

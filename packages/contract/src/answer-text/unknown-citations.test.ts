import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { splitLiterals } from './literals.ts';
import { withoutUnknownCitations } from './unknown-citations.ts';

/** Source 1 is known. */
const CASES: Readonly<Record<string, readonly [string, string]>> = {
  'a known source': ['Yes [1].', 'Yes [1].'],
  'an unknown source': ['Yes [7].', 'Yes.'],
  'several unknown sources': ['Yes [7][8], and [2, 3].', 'Yes, and.'],
  'a known and an unknown source': ['Yes [1, 7] and [7][1].', 'Yes [1, 7] and [1].'],
  'an unknown source in CJK brackets': ['是的 【7】。对【7】。', '是的。对。'],
  'a number directly after a word': ['a[7] and f(x)[7]', 'a[7] and f(x)[7]'],
  'a number in a code span': ['`a [7]` and ``b ` [7]`` [7]', '`a [7]` and ``b ` [7]``'],
  'a number after a single backtick': ['a ` b [7]', 'a ` b'],
  'a number in a code block': [
    'Do [7]:\n\n```js\na = [7]\n```\nEnd [7].',
    'Do:\n\n```js\na = [7]\n```\nEnd.',
  ],
  'a number in a formula': [
    '$x \\in [7, 8]$ \\([7, 8]x\\) $5 [7]',
    '$x \\in [7, 8]$ \\([7, 8]x\\) $5',
  ],
  'a number in an unclosed code block': ['~~~\n[7]\n\n[7]', '~~~\n[7]\n\n[7]'],
  'a number in a code block of a list': [
    '- a\n  ```\n  [7]\n  ```\n- b [7]',
    '- a\n  ```\n  [7]\n  ```\n- b',
  ],
};

describe('an answer without unknown citations', () => {
  for (const [name, [written, kept]] of Object.entries(CASES))
    test(`with ${name}`, () => assert.equal(withoutUnknownCitations(written, new Set([1])), kept));
});

const PIECES = [
  '`',
  '``',
  '```',
  '~~~',
  '\\',
  '\n',
  '\n\n',
  '[7]',
  ' ',
  'a',
  '- ',
  '$',
  '\\(',
  '\\)',
];

test('joining the parts of Markdown returns the original text', () => {
  let texts = [''];
  for (let length = 0; length < 4; length++) {
    texts = texts.flatMap((text) => PIECES.map((piece) => text + piece));
    for (const text of texts)
      assert.equal(
        splitLiterals(text).reduce((all, part) => all + part.text, ''),
        text,
      );
  }
});

test('an answer with many different backtick runs is split in linear time', () => {
  const text = '` `` '.repeat(20_000);
  assert.equal(
    splitLiterals(text)
      .map((part) => part.text)
      .join(''),
    text,
  );
});

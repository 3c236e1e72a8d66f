import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from './query.ts';
import { withoutCommon } from './without-common.ts';

const common = new Set(['the', 'of', 'other']);

function rest(text: string): string[] {
  const { terms, phrases } = withoutCommon(readQuery(text), common);
  return [
    ...terms.map(({ term, prefix }) => (prefix === null ? term : `${term} ${prefix}*`)),
    ...phrases.map((phrase) => `"${phrase.terms.join(' ')}"`),
  ];
}

test('omits common terms if another term or a phrase remains', () => {
  assert.deepEqual(rest('the use of gas '), ['use', 'gas']);
  assert.deepEqual(rest('of the '), ['of', 'the']);
  assert.deepEqual(rest('"of the" of '), ['"of the"']);
});

test('omits a prefix that matches a common term if another term remains', () => {
  assert.deepEqual(rest('others gas '), ['others', 'gas']);
  assert.deepEqual(rest('others '), ['others other*']);
});

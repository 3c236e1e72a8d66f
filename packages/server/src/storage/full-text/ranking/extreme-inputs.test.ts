import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_QUERY_TERMS, readQuery } from '../../../lib/text/index.ts';
import { encodeTermVectors, TermIndex } from '../terms/index.ts';
import { groupsOf, passagesOf, rank, Scratch } from './index.ts';

function indexOf(bodies: readonly string[]): TermIndex {
  const index = new TermIndex();
  for (const [number, body] of bodies.entries())
    index.add(number, [encodeTermVectors([{ title: '', heading: '', body }])]);
  return index;
}

function find(
  index: TermIndex,
  text: string,
  numbers: Iterable<number> = [0, 1, 2],
  maxTerms?: number,
): number[] {
  const groups = groupsOf(index, readQuery(text));
  const ranked = rank(index, passagesOf(index, numbers), groups, 10, new Scratch(0, maxTerms));
  return ranked.map(({ ordinal }) => index.documentOf(ordinal).number);
}

const index = indexOf(['amber '.repeat(1_000_000), 'amber and beacon', '']);

test('a word that occurs a million times does not hide other passages', () => {
  assert.deepEqual(find(index, 'amber ').toSorted(), [0, 1]);
  assert.deepEqual(find(index, 'beacon amber '), [1, 0]);
});

test('a query of 1,000 words uses only its first 32 words', () => {
  const words = Array.from({ length: 1000 }, (_, number) => `word${number}`);
  assert.ok(groupsOf(index, readQuery(words.join(' '))).length <= 2 * MAX_QUERY_TERMS);
  assert.deepEqual(find(index, `beacon ${words.join(' ')}`), [1]);
});

test('a search in an empty scope or in an empty index finds nothing', () => {
  assert.deepEqual(find(index, 'amber ', []), []);
  assert.deepEqual(find(index, 'amber ', [2, 3, 1000]), []);
  assert.deepEqual(find(new TermIndex(), '"amber" beacon '), []);
});

test('a prefix that matches many terms finds each passage once', () => {
  const words = Array.from({ length: 50_000 }, (_, number) => `pre${number.toString(36)}`);
  const many = indexOf([words.join(' '), words.slice(0, 3).join(' '), 'other']);
  assert.deepEqual(find(many, 'pre').toSorted(), [0, 1]);
});

describe('words whose other forms are many terms', () => {
  const forms = [...'abcdefghij'].map((letter) => `walking${letter}`);
  const hidden = Array.from({ length: 50 }, (_, number) => `walkings${number}`);
  const many = indexOf([forms.join(' '), 'garden', 'gardens', hidden.join(' ')]);

  test('match only themselves after a word with too many other forms', () => {
    assert.deepEqual(find(many, 'walking garden ').toSorted(), [0, 1, 2]);
    assert.deepEqual(find(many, 'walking garden ', [0, 1, 2], 10).toSorted(), [0, 1]);
    assert.deepEqual(find(many, 'walking garden ', [0, 1, 2], 11).toSorted(), [0, 1, 2]);
  });

  test('are not affected by terms of hidden passages', () => {
    const all = [0, 1, 2, 3];
    assert.deepEqual(find(many, 'walking garden ', all, 11).toSorted(), [0, 1, 3]);
  });

  test('are not affected by the frequency of terms in hidden passages', () => {
    const visible = ['walking walkings', 'garden', 'gardens'];
    const alone = indexOf(visible);
    const besideHidden = indexOf([...visible, ...Array(9).fill('walking walkings')]);
    for (const maxTerms of [1, 2, 3, 4, 5])
      assert.deepEqual(
        find(besideHidden, 'walking garden ', [0, 1, 2], maxTerms),
        find(alone, 'walking garden ', [0, 1, 2], maxTerms),
        `${maxTerms} terms`,
      );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../../tests/support/seeded.ts';
import { readQuery } from '../../../lib/text/index.ts';
import { encodeTermVectors, TermIndex } from '../terms/index.ts';
import { groupsOf, passagesOf, rank, Scratch } from './index.ts';
import { naiveRanking } from './naive-ranking.suite.ts';
import { WINDOW } from './scratch.ts';

/** More than the passages of a window. */
const PASSAGES = WINDOW + 1000;
const random = seeded(29);

function someWord(): string {
  return `word${Math.floor(random.next() ** 3 * 400).toString(26)}`;
}

const texts = Array.from({ length: PASSAGES }, (_, number) => {
  const words = Array.from({ length: 3 + random.below(6) }, someWord);
  return { title: '', heading: '', body: `${words.join(' ')} unique${number.toString(26)}` };
});
const isVisible = texts.map(() => random.next() < 0.6);
const vectors = texts.map((text) => encodeTermVectors([text]));
const index = new TermIndex();
for (const [number, one] of vectors.entries()) index.add(number, [one]);
const some = texts.keys().filter((number) => isVisible[number] === true);
const visible = passagesOf(index, some);
const scratch = new Scratch();

function search(query: string, limit: number) {
  const ranked = rank(index, visible, groupsOf(index, readQuery(query)), limit, scratch);
  return ranked.map(({ ordinal, score }) => ({ number: ordinal, score }));
}

const QUERIES = [
  'word1 ',
  'worda0 wordb0 word5 ',
  'word1 word2 word3 word4 word5 word6 word7 word8 word9 ',
  // All passages match several terms, so the group has more visible postings than there are passages.
  'word',
  'wordc word',
  // Each passage matches a term of its own.
  'unique',
  'uniquea uniqueb uniquec',
  'word5 unique',
  '"word5 word6" word7 ',
];

test('a search of several windows finds the same passages as a direct implementation', () => {
  const passages = texts.filter((_, number) => isVisible[number] === true);
  for (const query of ['worda0 wordb0 word']) {
    const expected = naiveRanking(passages, readQuery(query));
    const found = search(query, PASSAGES);
    assert.equal(found.length, expected.length, query);
    for (const [at, { score }] of found.entries()) {
      const difference = Math.abs(score - (expected[at]?.score ?? 0));
      assert.ok(difference < 1e-9 * score, `${query} ${at}`);
    }
  }
});

test('a search finds the same passages if its postings do not fit into the memory that is reserved for them', () => {
  const small = new Scratch(0);
  for (const query of [...QUERIES, 'wordab wordac wordba wordbb ']) {
    const groups = groupsOf(index, readQuery(query));
    const expected = rank(index, visible, groups, 10, scratch);
    assert.deepEqual(rank(index, visible, groups, 10, small), expected, query);
  }
});

test('the best passages do not depend on the number of passages that a search asks for', () => {
  for (const query of QUERIES) {
    const all = search(query, PASSAGES);
    assert.ok(all.length > 0, query);
    for (const limit of [1, 10, 500])
      assert.deepEqual(search(query, limit), all.slice(0, limit), query);
  }
});

test('hidden passages in all windows change neither the order nor the scores', () => {
  const alone = new TermIndex();
  for (const [number, one] of vectors.entries())
    if (isVisible[number] === true) alone.add(number, [one]);
  const all = passagesOf(alone, texts.keys());
  for (const query of QUERIES) {
    const ranked = rank(alone, all, groupsOf(alone, readQuery(query)), 10, scratch);
    const expected = ranked.map(({ ordinal, score }) => ({
      number: alone.documentOf(ordinal).number,
      score,
    }));
    assert.deepEqual(search(query, 10), expected, query);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { readQuery } from '../../../lib/text/index.ts';
import { encodeTermVectors, type SearchableTexts, TermIndex } from '../terms/index.ts';
import { groupsOf, passagesOf, rank, Scratch } from './index.ts';
import { naiveRanking } from './naive-ranking.suite.ts';

interface TestDocument {
  readonly passages: readonly SearchableTexts[];
  readonly isVisible: boolean;
  readonly isDeleted: boolean;
}

const words = [
  'amber',
  'ambers',
  'umber',
  'beacon',
  'beacons',
  'of',
  'a',
  'Größe',
  '東京都',
  'c++',
  'ab-12',
];
const misspelt = ['missing', 'ambr', 'mbaer', 'bacon', 'baecon', 'groesse', 'grosses', 'Größte'];
const anyWords = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((all) => all.join(' '));
const anyPassage = fc.record({ title: anyWords, heading: anyWords, body: anyWords });
const anyDocument = fc.record({
  passages: fc.array(anyPassage, { maxLength: 4 }),
  isVisible: fc.boolean(),
  isDeleted: fc.boolean(),
});
const anyDocuments = fc.array(anyDocument, { maxLength: 12 });
const anyQuery = fc
  .array(
    fc.oneof(
      fc.constantFrom(...words, ...misspelt),
      anyWords.map((all) => `"${all}"`),
    ),
    {
      maxLength: 5,
    },
  )
  .map((all) => readQuery(all.join(' ')));

const scratch = new Scratch();

function search(
  documents: readonly TestDocument[],
  query: ReturnType<typeof readQuery>,
  limit = 1000,
) {
  const index = new TermIndex();
  // Even numbers are added first, so that ordinals and document numbers have different orders.
  for (const remainder of [0, 1])
    for (const [number, { passages }] of documents.entries())
      if (number % 2 === remainder) index.add(number, [encodeTermVectors(passages)]);
  for (const [number, { isDeleted }] of documents.entries()) if (isDeleted) index.delete(number);
  const numbers = documents.keys().filter((number) => documents[number]?.isVisible === true);
  const ranked = rank(index, passagesOf(index, numbers), groupsOf(index, query), limit, scratch);
  return ranked.map(({ ordinal, score }) => {
    const { number, first } = index.documentOf(ordinal);
    return { passage: documents[number]?.passages[ordinal - first], score };
  });
}

function visiblePassages(documents: readonly TestDocument[]): SearchableTexts[] {
  return documents
    .filter(({ isVisible, isDeleted }) => isVisible && !isDeleted)
    .flatMap(({ passages }) => passages);
}

test('the ranking equals a direct implementation of BM25 over the visible passages', () => {
  fc.assert(
    fc.property(anyDocuments, anyQuery, (documents, query) => {
      const passages = visiblePassages(documents);
      const expected = naiveRanking(passages, query);
      const found = search(documents, query);
      assert.equal(found.length, expected.length);
      const byScore = new Map<unknown, number>(
        expected.map(({ index, score }) => [passages[index], score]),
      );
      for (const [at, { passage, score }] of found.entries()) {
        assert.ok(isClose(score, byScore.get(passage) ?? 0));
        assert.ok(isClose(score, expected[at]?.score ?? 0));
      }
    }),
    { numRuns: roundsOf(50, 20_000) },
  );
});

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(one, other);
}

test('hidden and deleted documents change neither the order nor the scores', () => {
  fc.assert(
    fc.property(
      anyDocuments,
      anyQuery,
      fc.integer({ min: 1, max: 5 }),
      (documents, query, limit) => {
        const alone = documents.filter(({ isVisible, isDeleted }) => isVisible && !isDeleted);
        assert.deepEqual(search(documents, query, limit), search(alone, query, limit));
      },
    ),
    { numRuns: roundsOf(50, 20_000) },
  );
});

test('a ranking with a limit is the start of the complete ranking', () => {
  const documents = Array.from({ length: 2000 }, (_, number) => ({
    passages: [{ title: '', heading: '', body: `amber ${'of '.repeat((number * 7) % 50)}` }],
    isVisible: true,
    isDeleted: false,
  }));
  const query = readQuery('amber ');
  const all = search(documents, query, 5000);
  assert.equal(all.length, documents.length);
  for (const limit of [1, 10, 300])
    assert.deepEqual(search(documents, query, limit), all.slice(0, limit));
});

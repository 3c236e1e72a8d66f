import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { seeded } from '../../../../tests/support/seeded.ts';
import { readQuery } from '../../../lib/text/index.ts';
import { StoresWithHiddenDocuments, scopeWhere } from '../../ports/hidden-documents.suite.ts';
import { largeFilter } from '../../ports/large-filter.suite.ts';

const QUERIES_PER_STEP = 10;
const LETTERS = [...'abcdefghij'];
/** Words without digits, so that a search corrects typing errors. Many of them are similar to each other. */
const WORDS = Array.from(
  { length: 40 },
  (_, index) => `term${letter(index)}${letter(index >> 2)}o`,
);
const SECRET_WORDS = ['merger', 'layoffs', 'termless', 'terms'];

const random = seeded(SEED);

function letter(index: number): string {
  return LETTERS[index % LETTERS.length] ?? '';
}

/** Returns a word of the texts. In texts outside the scope, every second word has a typing error, so it rarely occurs in the scope. */
function someWord(isHidden: boolean): string {
  if (random.next() < (isHidden ? 0.2 : 0.03)) return random.pick(SECRET_WORDS);
  const word = WORDS[Math.floor(random.next() ** 3 * WORDS.length)] ?? '';
  return isHidden && random.next() < 0.5 ? misspelt(word) : word;
}

function misspelt(word: string): string {
  const at = 1 + random.below(word.length - 2);
  const rest = word.slice(at + 1);
  const transposed = rest.charAt(0) + word.charAt(at) + rest.slice(1);
  return word.slice(0, at) + random.pick([rest, random.pick(LETTERS) + rest, transposed]);
}

function someText(words: number, isHidden = false): string {
  return Array.from({ length: words }, () => someWord(isHidden)).join(' ');
}

function someQuery(): string {
  const words = Array.from({ length: 1 + random.below(4) }, () => {
    const word = someWord(false);
    return random.next() < 0.4 ? misspelt(word) : word;
  });
  const text = words.join(' ');
  return random.next() < 0.2 ? `"${someText(2)}" ${text}` : `${text}${random.pick(['', ' '])}`;
}

function someDocument(isHidden: boolean) {
  const texts = Array.from({ length: 1 + random.below(3) }, () =>
    someText(3 + random.below(20), isHidden),
  );
  return { texts, fileName: someText(2, isHidden) };
}

test(`documents outside the scope change neither results nor scores (seed ${SEED})`, async (t) => {
  await using stores = await StoresWithHiddenDocuments.open(random, someDocument);
  /** Scopes with the same documents, which are evaluated by the index of values, by SQL, and by a compiled filter. */
  const scopes = [
    stores.scope,
    scopeWhere({ level: { like: 'OPEN' } }),
    scopeWhere(largeFilter('level', 'o%n')),
  ];
  const steps = roundsOf(60, 2000);
  let found = 0;
  for (let step = 1; step <= steps; step += 1) {
    await stores.change();
    for (let count = 0; count < QUERIES_PER_STEP; count += 1) {
      const text = someQuery();
      const limit = 1 + random.below(20);
      const expected = await stores.small.search(stores.scope, readQuery(text), limit);
      const result = await stores.large.search(random.pick(scopes), readQuery(text), limit);
      assert.deepEqual(result, expected, `step ${step}: ${text}`);
      found += result.length;
    }
  }
  t.diagnostic(`${steps * QUERIES_PER_STEP} comparisons, ${found} passages`);
  assert.ok(found > steps * QUERIES_PER_STEP);
});

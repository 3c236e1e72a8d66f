// Claim: the time of a search does not reveal whether a word exists outside the scope of a widget session. A pair consists of a search
// for a word that exists only outside the scope and a search for a word that exists nowhere, in random order. The words of a pair consist of
// the same letters, so both are compared with the same terms when the search looks for similar words.

import { parse } from '../../packages/filter/src/index.ts';
import { addDocument } from '../../packages/server/src/storage/ports/knowledge-engine-under-test.suite.ts';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import { exchangeLink, makeLink } from '../../packages/server/tests/support/provision.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { text } from '../lib/knowledge.ts';
import { report } from '../lib/machine.ts';
import { openStoreOf } from '../lib/open-store.ts';
import { numberOptions } from '../lib/options.ts';
import { comparePairs } from '../lib/paired-statistics.ts';
import { type FilledSpace, provisionKnowledge } from '../lib/searches.ts';
import { startExisting } from '../lib/service.ts';
import { round } from '../lib/spread.ts';

const options = numberOptions({ pairs: 2000, passages: 30_000, hiddenPassages: 10_000, seed: 5 });
/** A difference counts if a p-value is below this limit after correction for the number of tests (Bonferroni). */
const SIGNIFICANCE = 0.01;
const PASSAGES_PER_DOCUMENT = 10;
const WORDS_PER_CASE = 40;
const FILTER = { tags: { eq: 'public' } };

interface Case {
  readonly name: string;
  /** Number of hidden passages that contain each hidden word. */
  readonly passages: number;
  /** The search is for a word with one other letter. */
  readonly isMisspelt?: true;
  /** Both words of a pair are also in one visible passage. */
  readonly isVisible?: true;
}

const { hiddenPassages } = options;
const CASES: readonly Case[] = [
  { name: 'the word is in 1 hidden passage', passages: 1 },
  { name: 'the word is in 1 % of the hidden passages', passages: 0.01 * hiddenPassages },
  { name: 'the word is in 10 % of the hidden passages', passages: 0.1 * hiddenPassages },
  {
    name: 'a similar word is in 1 % of the hidden passages',
    passages: 0.01 * hiddenPassages,
    isMisspelt: true,
  },
  {
    name: 'the word is in 1 visible passage and in 10 % of the hidden passages',
    passages: 0.1 * hiddenPassages,
    isVisible: true,
  },
];

const random = seeded(options.seed);
const cases = CASES.map((one) => ({
  ...one,
  words: Array.from({ length: WORDS_PER_CASE }, somePair),
}));

if (!parse(FILTER).ok) throw new Error('the filter is invalid');
using directory = temporaryDirectory();
const space = await provisionKnowledge(directory.path, options.passages);
await hide(directory.path, space);
await using service = await startExisting(directory.path);
const client = clientOf(service.url);
const link = await makeLink(client, space.key, { permissionFilter: FILTER });
const as = await exchangeLink(client, link.token);

const pairs = cases.map((): [number, number][] => []);
// The first tenth is a warm-up. The cases alternate, so that other load affects all of them.
for (let pair = -options.pairs / 10; pair < options.pairs; pair += 1)
  for (const [index, one] of cases.entries()) {
    const times = await timePair(client, one);
    if (pair >= 0) pairs[index]?.push(times);
  }

const tests = 2 * cases.length;
const results = cases.map(({ name }, index) => {
  const result = comparePairs(pairs[index] ?? []);
  const rounded = Object.entries(result).map(([key, value]) => [key, round(value)]);
  const isDifferent = Math.min(result.signP, result.mannWhitneyP) < SIGNIFICANCE / tests;
  const hidden = pairs[index]?.map(([time]) => time).toSorted((a, b) => a - b) ?? [];
  const p50Ms = round(hidden[hidden.length >> 1] ?? Number.NaN);
  return { name, p50Ms, ...Object.fromEntries(rounded), isDifferent };
});
report(
  'time of a search for a word outside the scope, minus the time for a word that exists nowhere, in ms',
  {
    options,
    significance: `a difference has a p-value below ${SIGNIFICANCE} / ${tests}`,
    results,
  },
);

interface Pair {
  /** Exists only outside the scope. */
  readonly hidden: string;
  readonly missing: string;
}

/** Returns two words of ten different letters. The words have the same letters, and the same first and sixth letter. */
function somePair(): Pair {
  // All words of `text` start with “w”. “q” is for `misspelt`.
  const left = [...'abcdefghijklmnoprstuvxyz'];
  const take = () => left.splice(random.below(left.length), 1).join('');
  const [first, sixth] = [take(), take()];
  const others = Array.from({ length: 8 }, take);
  const toWord = (some: readonly string[]) => first + some.toSpliced(4, 0, sixth).join('');
  return { hidden: toWord(others), missing: toWord(others.toReversed()) };
}

/** Returns the word with another sixth letter, so that its prefix differs too. */
function misspelt(word: string): string {
  return `${word.slice(0, 5)}q${word.slice(6)}`;
}

/** Adds documents outside the scope that contain the hidden words, and documents in the scope for the cases with visible words. */
async function hide(path: string, { spaceId }: FilledSpace): Promise<void> {
  await using store = await openStoreOf(path);
  const texts = Array.from({ length: options.hiddenPassages }, () => [text(90)]);
  for (const { words, passages } of cases)
    for (const { hidden } of words)
      for (let count = 0; count < passages; count += 1) random.pick(texts).push(hidden);
  for (let first = 0; first < texts.length; first += PASSAGES_PER_DOCUMENT) {
    const some = texts.slice(first, first + PASSAGES_PER_DOCUMENT);
    await addDocument(store.knowledge, {
      ...{ spaceId, id: `hidden ${first}`, metadata: { tags: ['internal'] } },
      texts: some.map((parts) => parts.join(' ')),
    });
  }
  const shown = cases.filter(({ isVisible }) => isVisible).flatMap(({ words }) => words);
  for (const { hidden, missing } of shown)
    for (const word of [hidden, missing])
      await addDocument(store.knowledge, {
        ...{ spaceId, id: `visible ${word}`, metadata: { tags: ['public'] } },
        texts: [`${text(90)} ${word}`],
      });
}

/** Returns the times of the searches for a hidden and for a missing word. */
async function timePair(
  client: Client,
  { words, isMisspelt, isVisible }: (typeof cases)[number],
): Promise<[number, number]> {
  const { hidden, missing } = random.pick(words);
  const order = random.next() < 0.5 ? [0, 1] : [1, 0];
  const times: [number, number] = [0, 0];
  for (const which of order) {
    const word = which === 0 ? hidden : missing;
    const query = isMisspelt ? misspelt(word) : word;
    times[which as 0 | 1] = await timeSearch(client, query, isVisible ? 1 : 0);
  }
  return times;
}

async function timeSearch(client: Client, word: string, expected: number): Promise<number> {
  const startedAt = performance.now();
  const answer = await client(`/spaces/${space.spaceId}/search`, {
    as,
    body: { query: `${word} ` },
  });
  const milliseconds = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(answer.text);
  const found = (answer.json as { items: unknown[] }).items.length;
  if (found !== expected) throw new Error(`“${word}” was found ${found} times`);
  return milliseconds;
}

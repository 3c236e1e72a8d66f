// Claim: the time of a search does not reveal whether a word exists outside the scope of a widget session. A pair consists of a search
// for a word that exists only outside the scope and a search for a word that exists nowhere, in random order. Both words are random
// letters, so nothing else distinguishes them.

import { parse } from '../../packages/filter/src/index.ts';
import { addDocument } from '../../packages/server/src/storage/ports/knowledge-engine-under-test.suite.ts';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import { exchangeLink, makeLink } from '../../packages/server/tests/support/provision.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { text } from '../lib/knowledge.ts';
import { machine } from '../lib/machine.ts';
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

/** Number of hidden passages that contain each word of a case. */
const CASES = {
  'the word is in 1 hidden passage': { passages: 1, isMisspelt: false },
  'the word is in 1 % of the hidden passages': {
    passages: 0.01 * options.hiddenPassages,
    isMisspelt: false,
  },
  'the word is in 10 % of the hidden passages': {
    passages: 0.1 * options.hiddenPassages,
    isMisspelt: false,
  },
  'a similar word is in 1 % of the hidden passages': {
    passages: 0.01 * options.hiddenPassages,
    isMisspelt: true,
  },
};

const random = seeded(options.seed);
const cases = Object.entries(CASES).map(([name, { passages, isMisspelt }]) => ({
  ...{ name, passages, isMisspelt },
  hidden: Array.from({ length: WORDS_PER_CASE }, someWord),
  missing: Array.from({ length: WORDS_PER_CASE }, someWord),
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
console.log(
  JSON.stringify(
    {
      claim:
        'time of a search for a word outside the scope, minus the time for a word that exists nowhere, in ms',
      machine: machine(),
      options,
      significance: `a difference has a p-value below ${SIGNIFICANCE} / ${tests}`,
      results,
    },
    null,
    2,
  ),
);

/** Returns a random word of ten letters, which does not occur in the texts of `text`. */
function someWord(): string {
  return Array.from({ length: 10 }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz'])).join('');
}

/** Returns the word with another sixth letter, so that its prefix differs too. */
function misspelt(word: string): string {
  return `${word.slice(0, 5)}${word.charAt(5) === 'q' ? 'k' : 'q'}${word.slice(6)}`;
}

/** Adds documents outside the scope that contain the hidden words. */
async function hide(path: string, { spaceId }: FilledSpace): Promise<void> {
  await using store = await openStoreOf(path);
  const texts = Array.from({ length: options.hiddenPassages }, () => [text(90)]);
  for (const { hidden, passages } of cases)
    for (const word of hidden)
      for (let count = 0; count < passages; count += 1) random.pick(texts).push(word);
  for (let first = 0; first < texts.length; first += PASSAGES_PER_DOCUMENT) {
    const some = texts.slice(first, first + PASSAGES_PER_DOCUMENT);
    await addDocument(store.knowledge, {
      ...{ spaceId, id: `hidden ${first}`, metadata: { tags: ['internal'] } },
      texts: some.map((parts) => parts.join(' ')),
    });
  }
}

/** Returns the times of the searches for a hidden and for a missing word. */
async function timePair(
  client: Client,
  { hidden, missing, isMisspelt }: (typeof cases)[number],
): Promise<[number, number]> {
  const words = [random.pick(hidden), random.pick(missing)];
  const order = random.next() < 0.5 ? [0, 1] : [1, 0];
  const times: [number, number] = [0, 0];
  for (const which of order) {
    const word = words[which] ?? '';
    times[which as 0 | 1] = await timeSearch(client, isMisspelt ? misspelt(word) : word);
  }
  return times;
}

async function timeSearch(client: Client, word: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await client(`/spaces/${space.spaceId}/search`, {
    as,
    body: { query: `${word} ` },
  });
  const milliseconds = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(answer.text);
  if ((answer.json as { items: unknown[] }).items.length > 0)
    throw new Error(`“${word}” was found`);
  return milliseconds;
}

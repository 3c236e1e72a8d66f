// Claim: search ranks better than established search libraries for questions in eight languages, for the index entries of a manual and
// for the questions of a FAQ. Run with scripts/with-postgres.ts and GATEHOUSE_TEST_BACKEND=postgres to measure PostgreSQL.

import { indexedText, type Query, readQuery } from '../packages/server/src/lib/text/index.ts';
import { FIELD_WEIGHTS } from '../packages/server/src/storage/full-text/terms/index.ts';
import { temporaryDirectory } from '../packages/server/tests/support/services/service.ts';
import { ON_POSTGRES } from '../packages/server/tests/support/storage/backend.ts';
import { report } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { spread } from './lib/spread.ts';
import type { Collection, JudgedQuery, Passage, Rank } from './relevance/collection.ts';
import { fts5Porter } from './relevance/fts5.ts';
import { handbook } from './relevance/handbook.ts';
import { measure } from './relevance/measures.ts';
import { misspelt } from './relevance/misspell.ts';
import { loadOrama, miniSearch, orama } from './relevance/peers.ts';
import { publicCollection } from './relevance/public-collections.ts';
import { answersOf } from './relevance/store.ts';
import { termIndex } from './relevance/term-index.ts';

const options = numberOptions({ runs: 9 });
using peers = temporaryDirectory();
const oramaModule = loadOrama(peers.path);

const results: Record<string, unknown> = {};
for (const collection of [handbook(), publicCollection('postgresql'), publicCollection('python')]) {
  results[collection.name] = await compare(collection);
  process.stderr.write(`${JSON.stringify({ [collection.name]: results[collection.name] })}\n`);
}
const { passages } = handbook();

report('nDCG, recall and reciprocal rank of the ten best results', {
  options,
  results,
  tokenisedMegabytesPerSecond: {
    english: tokeniserSpeed(passages.filter(({ id }) => isEnglish(id))),
    otherLanguages: tokeniserSpeed(passages.filter(({ id }) => !isEnglish(id))),
  },
});

async function compare(collection: Collection) {
  const { passages, queries } = collection;
  const groups = groupsOf(collection);
  const texts = [
    ...new Set(Object.values(groups).flatMap((group) => group.map(({ text }) => text))),
  ];
  const search = termIndex(passages, FIELD_WEIGHTS);
  const searchEqualWeights = termIndex(passages, { title: 1, heading: 1, body: 1 });
  const rankings: Readonly<Record<string, Rank>> = {
    [ON_POSTGRES ? 'oursOnPostgres' : 'oursInTheStore']: await storedRank(passages, texts),
    oursWithoutTheStore: (text) => search(readQuery(text)),
    oursExactWords: (text) => search(withoutWordForms(readQuery(text))),
    oursWithEqualWeights: (text) => searchEqualWeights(readQuery(text)),
    fts5Porter: fts5Porter(passages),
    miniSearch: miniSearch(passages, {}),
    miniSearchPrefixAndFuzzy: miniSearch(passages, { prefix: true, fuzzy: 0.2 }),
    orama: await orama(oramaModule, passages, texts, 0),
    oramaWithTolerance: await orama(oramaModule, passages, texts, 1),
  };
  return {
    passages: passages.length,
    queries: queries.length,
    ...Object.fromEntries(
      Object.entries(rankings).map(([name, rank]) => [
        name,
        Object.fromEntries(
          Object.entries(groups).map(([group, judged]) => [group, measure(judged, rank)]),
        ),
      ]),
    ),
  };
}

/** The weights and suffix rules were tuned on every second query. The other queries detect overfitting. */
function groupsOf({ name, queries }: Collection): Readonly<Record<string, readonly JudgedQuery[]>> {
  return {
    all: queries,
    tuning: queries.filter((_, index) => index % 2 === 0),
    validation: queries.filter((_, index) => index % 2 === 1),
    misspelt: misspelt(queries),
    ...(name === 'handbook' && {
      english: queries.filter(({ grades }) => [...grades.keys()].some(isEnglish)),
      otherLanguages: queries.filter(({ grades }) => ![...grades.keys()].some(isEnglish)),
    }),
  };
}

/** In the handbook collection, English passage IDs start with a topic, all others with a two-letter language code. */
function isEnglish(id: string): boolean {
  return !/^(?:ar|de|ja|ko|ru|th|zh)-/.test(id);
}

/** Returns the query without word forms and without the prefix match of the last word. */
function withoutWordForms(query: Query): Query {
  const terms = query.terms.map((term) =>
    term.term.length > 1 ? { ...term, prefix: null } : term,
  );
  return { ...query, terms };
}

async function storedRank(passages: readonly Passage[], texts: readonly string[]): Promise<Rank> {
  const answers = await answersOf(passages, texts);
  return (text) => answers.get(text) ?? [];
}

function tokeniserSpeed(sample: readonly Passage[]) {
  const bodies = sample.map(({ body }) => body);
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  const rounds = Math.ceil(4_000_000 / bytes);
  const rates: number[] = [];
  for (let run = 0; run < options.runs; run++) {
    const start = performance.now();
    for (let round = 0; round < rounds; round++) for (const body of bodies) indexedText(body);
    rates.push((bytes * rounds) / 1000 / (performance.now() - start));
  }
  return spread(rates);
}

// Claim: search ranks as well as an established search library for natural questions in eight languages. Run with scripts/with-postgres.ts
// and GATEHOUSE_TEST_BACKEND=postgres to measure PostgreSQL.

import MiniSearch from 'minisearch';
import { indexedText, type Query, readQuery } from '../packages/server/src/lib/text/index.ts';
import { FIELD_WEIGHTS } from '../packages/server/src/storage/full-text/ranking/index.ts';
import { ON_POSTGRES } from '../packages/server/tests/support/storage/backend.ts';
import { machine } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { spread } from './lib/spread.ts';
import {
  type JudgedQuery,
  type Passage,
  readPassages,
  readQueries,
} from './relevance/collection.ts';
import { fts5Porter } from './relevance/fts5.ts';
import { measure } from './relevance/measures.ts';
import { answersOf } from './relevance/store.ts';
import { termIndex } from './relevance/term-index.ts';

const options = numberOptions({ runs: 9 });
const passages = readPassages();
const queries = readQueries(passages);

/** The weights and suffix rules were tuned on every second query. The other queries detect overfitting. */
const groups: Readonly<Record<string, readonly JudgedQuery[]>> = {
  all: queries,
  tuning: queries.filter((_, index) => index % 2 === 0),
  validation: queries.filter((_, index) => index % 2 === 1),
  english: queries.filter(({ grades }) => [...grades.keys()].some(isEnglish)),
  otherLanguages: queries.filter(({ grades }) => ![...grades.keys()].some(isEnglish)),
};

type Rank = (text: string) => readonly string[];

function relevance(rank: Rank) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, group]) => [name, measure(group, rank)]),
  );
}

const search = termIndex(passages, FIELD_WEIGHTS);
const searchEqualWeights = termIndex(passages, { title: 1, heading: 1, body: 1 });
const stored = await storedRank();

console.log(
  JSON.stringify(
    {
      claim: 'nDCG and recall of the ten best passages for natural questions',
      machine: machine(),
      options,
      passages: passages.length,
      ours: relevance((text) => search(readQuery(text))),
      [ON_POSTGRES ? 'oursOnPostgres' : 'oursInTheStore']: relevance(stored),
      oursExactWords: relevance((text) => search(withoutWordForms(readQuery(text)))),
      oursWithEqualWeights: relevance((text) => searchEqualWeights(readQuery(text))),
      fts5Porter: relevance(fts5Porter(passages)),
      miniSearch: relevance(miniSearch({})),
      miniSearchPrefixAndFuzzy: relevance(miniSearch({ prefix: true, fuzzy: 0.2 })),
      tokenisedMegabytesPerSecond: {
        english: tokeniserSpeed(passages.filter(({ id }) => isEnglish(id))),
        otherLanguages: tokeniserSpeed(passages.filter(({ id }) => !isEnglish(id))),
      },
    },
    null,
    2,
  ),
);

/** English passage IDs start with a topic, all others with a two-letter language code. */
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

async function storedRank(): Promise<Rank> {
  const answers = await answersOf(
    passages,
    queries.map(({ text }) => text),
  );
  return (text) => answers.get(text) ?? [];
}

function miniSearch(searchOptions: { readonly prefix?: boolean; readonly fuzzy?: number }): Rank {
  const index = new MiniSearch<Passage>({
    fields: ['title', 'heading', 'body'],
    searchOptions: { boost: { ...FIELD_WEIGHTS }, ...searchOptions },
  });
  index.addAll(passages);
  return (text) => index.search(text).map(({ id }) => String(id));
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

// Claim: search ranks as well as a well-kept search library on questions that people ask in their own
// words, in eight languages. Behind scripts/with-postgres.ts with GATEHOUSE_TEST_BACKEND=postgres: on PostgreSQL.

import MiniSearch from 'minisearch';
import {
  FTS5_WEIGHTS,
  indexedText,
  type Query,
  readQuery,
} from '../packages/server/src/lib/text/index.ts';
import { ON_POSTGRES } from '../packages/server/tests/support/backend.ts';
import { machine } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { spread } from './lib/spread.ts';
import {
  type JudgedQuery,
  type Passage,
  readPassages,
  readQueries,
} from './relevance/collection.ts';
import { fts5Index } from './relevance/fts5.ts';
import { measure } from './relevance/measures.ts';
import { answersOf } from './relevance/store.ts';

const options = numberOptions({ runs: 9 });
const passages = readPassages();
const queries = readQueries(passages);

/** Every other query chose the weights and the endings; the rest shows whether they were fitted to them. */
const groups: Readonly<Record<string, readonly JudgedQuery[]>> = {
  all: queries,
  chosenOn: queries.filter((_, index) => index % 2 === 0),
  heldBack: queries.filter((_, index) => index % 2 === 1),
  english: queries.filter(({ grades }) => [...grades.keys()].some(isEnglish)),
  otherLanguages: queries.filter(({ grades }) => ![...grades.keys()].some(isEnglish)),
};

type Rank = (text: string) => readonly string[];

function relevance(rank: Rank) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, group]) => [name, measure(group, rank)]),
  );
}

const search = fts5Index(passages);
const stored = await storedRank();
const equal = { title: 1, heading: 1, body: 1 };

console.log(
  JSON.stringify(
    {
      claim: 'nDCG and recall of the ten best passages for questions in the words of those who ask',
      machine: machine(),
      options,
      passages: passages.length,
      ours: relevance((text) => search(readQuery(text), FTS5_WEIGHTS)),
      [ON_POSTGRES ? 'oursOnPostgres' : 'oursInTheStore']: relevance(stored),
      oursExactWords: relevance((text) => search(exactly(readQuery(text)), FTS5_WEIGHTS)),
      oursWithEqualWeights: relevance((text) => search(readQuery(text), equal)),
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

/** An English passage's id starts with its topic, any other's with the two letters of its language. */
function isEnglish(id: string): boolean {
  return !/^(?:ar|de|ja|ko|ru|th|zh)-/.test(id);
}

/** The query without the other forms of its words and without a last word that is still being typed. */
function exactly(query: Query): Query {
  const terms = query.terms.map((term) =>
    term.term.length > 1 ? { ...term, prefix: null } : term,
  );
  return { ...query, terms };
}

/** What the store answers, asked beforehand. */
async function storedRank(): Promise<Rank> {
  const answers = await answersOf(
    passages,
    queries.map(({ text }) => text),
  );
  return (text) => answers.get(text) ?? [];
}

/** MiniSearch with its own tokenizer over the same fields with the same weights. */
function miniSearch(searchOptions: { readonly prefix?: boolean; readonly fuzzy?: number }): Rank {
  const index = new MiniSearch<Passage>({
    fields: ['title', 'heading', 'body'],
    searchOptions: { boost: FTS5_WEIGHTS, ...searchOptions },
  });
  index.addAll(passages);
  return (text) => index.search(text).map(({ id }) => String(id));
}

function tokeniserSpeed(some: readonly Passage[]) {
  const bodies = some.map(({ body }) => body);
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

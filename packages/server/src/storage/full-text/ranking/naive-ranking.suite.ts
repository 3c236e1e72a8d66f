import { type Query, tokenise } from '../../../lib/text/index.ts';
import { MAX_FREQUENCY } from './postings.ts';
import { PREFIX_WEIGHT } from './query-groups.ts';
import { FIELD_WEIGHTS } from './term-index.ts';
import type { SearchableTexts } from './term-vectors.ts';

/** Ranks passages with a direct implementation of the BM25 formula. Returns the index and score of each match, best first. */
export function naiveRanking(passages: readonly SearchableTexts[], query: Query) {
  const terms = passages.map((passage) =>
    (['title', 'heading', 'body'] as const).flatMap((field) =>
      tokenise(passage[field]).map(({ term }) => ({ term, weight: FIELD_WEIGHTS[field] })),
    ),
  );
  const average = terms.flat().length / passages.length;
  const groups = new Map<string, { matches: (term: string) => boolean; weight: number }>();
  const exact = (term: string) =>
    groups.set(`=${term}`, { matches: (one) => one === term, weight: 1 });
  const prefix = (start: string) =>
    groups.set(`^${start}`, { matches: (one) => one.startsWith(start), weight: PREFIX_WEIGHT });
  for (const phrase of query.phrases)
    for (const [index, term] of phrase.terms.entries())
      if (phrase.prefix && index === phrase.terms.length - 1) prefix(term);
      else exact(term);
  const required = groups.size;
  for (const { term, prefix: start } of query.terms) {
    exact(term);
    if (start !== null) prefix(start);
  }
  const scores = passages.map(() => ({ score: 0, required: 0 }));
  for (const [at, { matches, weight }] of [...groups.values()].entries()) {
    const frequencies = terms.map((own) => {
      const byTerm = Map.groupBy(
        own.filter(({ term }) => matches(term)),
        ({ term }) => term,
      );
      return [...byTerm.values()]
        .map((same) =>
          Math.min(
            MAX_FREQUENCY,
            same.reduce((sum, one) => sum + one.weight, 0),
          ),
        )
        .reduce((sum, one) => sum + one, 0);
    });
    const found = frequencies.filter((one) => one > 0).length;
    const idf = Math.log(1 + (passages.length - found + 0.5) / (found + 0.5));
    for (const [index, frequency] of frequencies.entries()) {
      const total = scores[index];
      if (frequency === 0 || total === undefined) continue;
      const length = (terms[index]?.length ?? 0) / average;
      total.score += (weight * idf * 2.2 * frequency) / (frequency + 1.2 * (0.25 + 0.75 * length));
      if (at < required) total.required += 1;
    }
  }
  return scores
    .map((one, index) => ({ ...one, index }))
    .filter((one) => one.score > 0 && one.required === required)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .map(({ index, score }) => ({ index, score }));
}

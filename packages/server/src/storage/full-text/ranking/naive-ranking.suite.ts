import { type Query, stemPrefix, tokenise } from '../../../lib/text/index.ts';
import { FIELD_WEIGHTS, MAX_FREQUENCY, type SearchableTexts } from '../terms/index.ts';
import { WORD_WEIGHT } from './query-groups.ts';

interface Group {
  /** Returns 1 for words of the query, 0.5 for other forms and 0 for all other terms. */
  readonly factorOf: (term: string) => number;
  readonly weight: number;
}

/** Ranks passages with a direct implementation of the BM25 formula. Returns the index and score of each match, best first. */
export function naiveRanking(passages: readonly SearchableTexts[], query: Query) {
  const terms = passages.map((passage) =>
    (['title', 'heading', 'body'] as const).flatMap((field) =>
      tokenise(passage[field]).map(({ term }) => ({ term, weight: FIELD_WEIGHTS[field] })),
    ),
  );
  const average = terms.flat().length / passages.length;
  const groups = new Map<string, Group>();
  const exact = (term: string) =>
    groups.set(`=${term}`, { factorOf: (one) => Number(one === term), weight: 1 });
  for (const phrase of query.phrases)
    for (const [index, term] of phrase.terms.entries())
      if (phrase.prefix && index === phrase.terms.length - 1)
        groups.set(`^${term}`, { factorOf: (one) => Number(one.startsWith(term)), weight: 1 });
      else exact(term);
  const required = groups.size;
  const all = new Map<string, number>();
  for (const own of terms)
    for (const term of new Set(own.map((one) => one.term))) all.set(term, (all.get(term) ?? 0) + 1);
  for (const { term, prefix, isCompound } of query.terms) {
    if (prefix === null) {
      if (!groups.has(`=${term}`)) exact(term);
      continue;
    }
    const forms = formsOf([{ term, prefix }]);
    const isMissing = !all.keys().some((one) => forms.factorOf(one) > 0);
    const isCorrectable = isMissing && isCompound !== true && stemPrefix(term) !== null;
    groups.set(`~${term}`, isCorrectable ? formsOf(nearestTo(term, all)) : forms);
  }
  const scores = passages.map(() => ({ score: 0, required: 0 }));
  for (const [at, { factorOf, weight }] of [...groups.values()].entries()) {
    const frequencies = terms.map((own) => {
      const byTerm = Map.groupBy(
        own.filter(({ term }) => factorOf(term) > 0),
        ({ term }) => term,
      );
      return [...byTerm]
        .map(([term, same]) => {
          const frequency = same.reduce((sum, one) => sum + one.weight, 0);
          return factorOf(term) * Math.min(MAX_FREQUENCY, frequency);
        })
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

function formsOf(
  words: readonly { readonly term: string; readonly prefix: string | null }[],
): Group {
  const isForm = (one: string) =>
    words.some(({ prefix }) => prefix !== null && one.startsWith(prefix));
  const isWord = (one: string) => words.some(({ term }) => term === one);
  return { factorOf: (one) => (isWord(one) ? 1 : isForm(one) ? 0.5 : 0), weight: WORD_WEIGHT };
}

/** @param all number of passages by term. */
function nearestTo(word: string, all: ReadonlyMap<string, number>) {
  const maximum = [...word].length < 8 ? 1 : 2;
  const distances = [...all.keys()]
    .filter((term) => /^[\p{L}\p{M}]+$/u.test(term) && [...term][0] === [...word][0])
    .map((term) => ({ term, distance: naiveDistance([...word], [...term]) }));
  const least = Math.min(maximum, ...distances.map(({ distance }) => distance));
  return distances
    .filter(({ distance }) => distance === least)
    .map(({ term }) => ({ term, passages: all.get(term) ?? 0 }))
    .toSorted((one, other) => other.passages - one.passages || (one.term < other.term ? -1 : 1))
    .slice(0, 3)
    .map(({ term }) => ({ term, prefix: stemPrefix(term) }));
}

/** Returns the optimal string alignment distance of two words, by its recursive definition. */
export function naiveDistance(one: readonly string[], other: readonly string[]): number {
  const known = new Map<string, number>();
  /** Returns the distance of the first letters of both words. */
  function between(rows: number, columns: number): number {
    if (rows === 0 || columns === 0) return rows + columns;
    const key = `${rows} ${columns}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const replaced = one[rows - 1] === other[columns - 1] ? 0 : 1;
    const edits = [
      between(rows - 1, columns) + 1,
      between(rows, columns - 1) + 1,
      between(rows - 1, columns - 1) + replaced,
    ];
    if (one[rows - 1] === other[columns - 2] && one[rows - 2] === other[columns - 1])
      if (rows > 1 && columns > 1) edits.push(between(rows - 2, columns - 2) + 1);
    const distance = Math.min(...edits);
    known.set(key, distance);
    return distance;
  }
  return between(one.length, other.length);
}

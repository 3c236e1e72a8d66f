import { type QueryTerm, toFts5 } from '../../../text/index.ts';

/** A term of a query and how many passages have it. */
export interface CountedTerm {
  readonly term: QueryTerm;
  readonly passages: number;
}

/** Giving as many passages a score takes about four milliseconds: then all of them may have one. */
const FEW = 4000;
/** The share of what a query says that a candidate must have. */
const SHARE = 0.5;
/** 2 to the power of this many combinations are looked at; the rarest terms are taken. */
const MOST_TERMS = 8;

interface WeighedTerm {
  readonly term: QueryTerm;
  /** Inverse document frequency, as BM25 has it. */
  readonly idf: number;
}

/**
 * A MATCH expression for the passages that have terms with at least half of the query's weight: the
 * best ones are among them, nearly always, and there are ten times fewer of them. Null when so few
 * passages have any of the terms that all of them can be given a score.
 *
 * @param total passages in the index.
 */
export function candidatesOf(counted: readonly CountedTerm[], total: number): string | null {
  const found = counted.filter(({ passages }) => passages > 0);
  if (found.reduce((sum, { passages }) => sum + passages, 0) <= FEW) return null;
  const weighed = found
    .map(({ term, passages }) => ({ term, idf: idf(passages, total) }))
    .toSorted((a, b) => b.idf - a.idf)
    .slice(0, MOST_TERMS);
  return smallestSets(weighed).map(allOf).join(' OR ');
}

/** The sets of terms that have the share, each without a term that it could do without. */
function smallestSets(terms: readonly WeighedTerm[]): (readonly WeighedTerm[])[] {
  const wanted = SHARE * weightOf(terms);
  const sets: (readonly WeighedTerm[])[] = [];
  for (let bits = 1; bits < 2 ** terms.length; bits++) {
    const set = terms.filter((_, index) => (bits >> index) & 1);
    const weight = weightOf(set);
    const least = Math.min(...set.map((one) => one.idf));
    if (weight >= wanted && weight - least < wanted) sets.push(set);
  }
  return sets;
}

function weightOf(terms: readonly WeighedTerm[]): number {
  return terms.reduce((sum, one) => sum + one.idf, 0);
}

function allOf(set: readonly WeighedTerm[]): string {
  return `(${set.map(({ term }) => `(${toFts5({ terms: [term], phrases: [] })})`).join(' AND ')})`;
}

function idf(passages: number, total: number): number {
  return Math.max(1e-6, Math.log((total - passages + 0.5) / (passages + 0.5)));
}

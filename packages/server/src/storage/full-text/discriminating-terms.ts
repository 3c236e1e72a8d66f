import type { QueryTerm } from '../../lib/text/index.ts';

/** A term of a query and how many passages have it. */
export interface CountedTerm {
  readonly term: QueryTerm;
  readonly passages: number;
}

/** Terms in more passages than this and in a tenth of all cost a search most of its time and say next to nothing. */
const COMMON_FROM = 20_000;
const COMMON_SHARE = 0.1;
/** 2 to the power of this many combinations are looked at; the rarest terms are taken. */
const MOST_TERMS = 8;

interface WeighedTerm {
  readonly term: QueryTerm;
  readonly idf: number;
}

/** The terms that are better left out when others are left. */
export function commonOf(counted: readonly CountedTerm[], total: number): ReadonlySet<string> {
  const least = Math.max(COMMON_FROM, total * COMMON_SHARE);
  const common = counted.filter(({ passages }) => passages > least);
  return new Set(common.map(({ term }) => term.term));
}

/**
 * The sets of terms that have a share of what a query says, each without a term that it could do without.
 * Passages with all terms of any of them have that share. Terms that no passage has count for nothing.
 *
 * @param total passages in the index.
 * @param share from 0 to 1.
 */
export function discriminatingSets(
  counted: readonly CountedTerm[],
  total: number,
  share: number,
): (readonly QueryTerm[])[] {
  const terms = counted
    .filter(({ passages }) => passages > 0)
    .map(({ term, passages }) => ({ term, idf: idf(passages, total) }))
    .toSorted((a, b) => b.idf - a.idf)
    .slice(0, MOST_TERMS);
  const wanted = share * weightOf(terms);
  const sets: (readonly QueryTerm[])[] = [];
  for (let bits = 1; bits < 2 ** terms.length; bits++) {
    const set = terms.filter((_, index) => (bits >> index) & 1);
    const weight = weightOf(set);
    const least = Math.min(...set.map((one) => one.idf));
    if (weight >= wanted && weight - least < wanted) sets.push(set.map(({ term }) => term));
  }
  return sets;
}

/** Inverse document frequency, as BM25 has it. */
export function idf(passages: number, total: number): number {
  return Math.max(1e-6, Math.log((total - passages + 0.5) / (passages + 0.5)));
}

function weightOf(terms: readonly WeighedTerm[]): number {
  return terms.reduce((sum, one) => sum + one.idf, 0);
}

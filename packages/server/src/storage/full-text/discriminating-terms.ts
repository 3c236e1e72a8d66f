import type { QueryTerm } from '../../lib/text/index.ts';

export interface CountedTerm {
  readonly term: QueryTerm;
  readonly passages: number;
}

/** A term is common if it occurs in more than 20,000 passages and in more than a tenth of all passages. */
const COMMON_FROM = 20_000;
const COMMON_SHARE = 0.1;
/** Maximum number of terms to combine; the rarest terms are used. The number of combinations doubles with each term. */
const MAX_TERMS = 8;

interface WeighedTerm {
  readonly term: QueryTerm;
  readonly idf: number;
}

/** Returns the common terms. They slow down a search and barely affect its ranking, so searches skip them if possible. */
export function commonOf(counted: readonly CountedTerm[], total: number): ReadonlySet<string> {
  const least = Math.max(COMMON_FROM, total * COMMON_SHARE);
  const common = counted.filter(({ passages }) => passages > least);
  return new Set(common.map(({ term }) => term.term));
}

/**
 * Returns the minimal sets of terms whose inverse document frequencies add up to at least a share of the query's total.
 * A passage reaches the share if it contains all terms of any set. Terms without passages are ignored.
 *
 * @param total number of passages in the index.
 * @param share fraction of the total weight, from 0 to 1.
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
    .slice(0, MAX_TERMS);
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

export function idf(passages: number, total: number): number {
  return Math.max(1e-6, Math.log((total - passages + 0.5) / (passages + 0.5)));
}

function weightOf(terms: readonly WeighedTerm[]): number {
  return terms.reduce((sum, one) => sum + one.idf, 0);
}

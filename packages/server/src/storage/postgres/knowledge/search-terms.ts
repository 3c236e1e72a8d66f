import { type Query, withoutCommon } from '../../../lib/text/index.ts';
import {
  type CountedTerm,
  commonOf,
  discriminatingSets,
  idf,
} from '../../full-text/discriminating-terms.ts';
import type { Extent } from './counts.ts';
import { anyForm, exactTerm, phraseTerms, prefixTerms } from './lexemes.ts';

export interface ScoredItem {
  /** A `tsquery` string. */
  readonly query: string;
  readonly weight: number;
}

export interface SearchTerms {
  readonly items: readonly ScoredItem[];
  /**
   * `tsquery` strings, from broad to narrow. The first string matches all passages that contain any term. For a query with
   * phrases, there is only one string, which matches the passages that contain all phrases. Each further string requires terms
   * that carry a larger share of the query's information. Its matches nearly always include the best passages.
   */
  readonly expressions: readonly [string, ...string[]];
  /**
   * Upper bound of the number of passages that the first expression matches. 0 if the query has phrases, because there is only
   * one expression.
   */
  readonly maxMatches: number;
}

const SHARES = [0.25, 0.5, 0.7];

/**
 * Builds the search terms of a query. Terms that are too common are left out. Returns `null` if no passage matches.
 *
 * @param count returns the number of passages that match each `tsquery`.
 */
export async function searchTermsOf(
  query: Query,
  { number: space, passages: total }: Extent,
  count: (queries: readonly string[]) => Promise<number[]>,
): Promise<SearchTerms | null> {
  const queryOf = (term: string, prefix: string | null) =>
    prefix === null ? exactTerm(space, term) : prefixTerms(space, prefix);
  const written = query.terms.map(({ term, prefix }) => queryOf(term, prefix));
  const found = await count(written);
  const counted = query.terms.map(
    (term, index): CountedTerm => ({ term, passages: found[index] ?? 0 }),
  );
  const { terms, phrases } = withoutCommon(query, commonOf(counted, total));
  const scored = new Set([
    ...terms.flatMap(({ term, prefix }) =>
      prefix === null
        ? [exactTerm(space, term)]
        : [exactTerm(space, term), prefixTerms(space, prefix)],
    ),
    ...phrases.flatMap((phrase) => phrase.terms.map((term) => exactTerm(space, term))),
  ]);
  const numbers = await count([...scored]);
  const passages = new Map(
    [...scored].map((expression, index) => [expression, numbers[index] ?? 0]),
  );
  const all = Math.max(total, ...numbers);
  const items = [...passages]
    .filter(([, number]) => number > 0)
    .map(([expression, number]) => ({ query: expression, weight: idf(number, all) }));
  if (items.length === 0) return null;
  if (phrases.length > 0)
    return {
      items,
      expressions: [phrases.map((phrase) => phraseTerms(space, phrase)).join(' & ')],
      maxMatches: 0,
    };
  const left = terms.map(
    (term): CountedTerm => ({ term, passages: passages.get(queryOf(term.term, term.prefix)) ?? 0 }),
  );
  const matching = left.filter((expression) => expression.passages > 0);
  const any = matching.map(({ term }) => `(${anyForm(space, term)})`).join(' | ');
  const narrower = SHARES.map((share) =>
    discriminatingSets(matching, all, share)
      .map((set) => `(${set.map((term) => anyForm(space, term)).join(' & ')})`)
      .join(' | '),
  ).filter((expression, index, others) => expression !== any && expression !== others[index - 1]);
  return {
    items,
    expressions: [any, ...narrower],
    maxMatches: matching.reduce((sum, expression) => sum + expression.passages, 0),
  };
}

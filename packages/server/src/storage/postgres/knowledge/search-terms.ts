import { type Query, withoutCommon } from '../../../lib/text/index.ts';
import {
  type CountedTerm,
  commonOf,
  discriminatingSets,
  idf,
} from '../../full-text/discriminating-terms.ts';
import type { Extent } from './counts.ts';
import { anyForm, beginning, exactly, inOrder } from './lexemes.ts';

/** Something whose occurrences raise a passage's score. */
export interface ScoredItem {
  /** Text of a `tsquery`. */
  readonly query: string;
  /** What an occurrence is worth: the rarer, the more. */
  readonly weight: number;
}

/** What a query looks for in a space, as PostgreSQL takes it. */
export interface SearchTerms {
  readonly items: readonly ScoredItem[];
  /**
   * Texts of a `tsquery`, each for fewer passages than the one before: all that have anything of the query, or
   * its phrases, and then those that have some share of what it says, in which the best ones nearly always are.
   */
  readonly expressions: readonly [string, ...string[]];
  /** What the first of them finds is no more than this. */
  readonly most: number;
}

const SHARES = [0.25, 0.5, 0.7];

/**
 * Null when no passage has anything of the query. Terms that are too common to say much are left out.
 *
 * @param count says how many passages each `tsquery` finds.
 */
export async function searchTermsOf(
  query: Query,
  { number: space, passages: total }: Extent,
  count: (queries: readonly string[]) => Promise<number[]>,
): Promise<SearchTerms | null> {
  const whole = (term: string, prefix: string | null) =>
    prefix === null ? exactly(space, term) : beginning(space, prefix);
  const written = query.terms.map(({ term, prefix }) => whole(term, prefix));
  const found = await count(written);
  const counted = query.terms.map((term, at): CountedTerm => ({ term, passages: found[at] ?? 0 }));
  const { terms, phrases } = withoutCommon(query, commonOf(counted, total));
  const scored = new Set([
    ...terms.flatMap(({ term, prefix }) =>
      prefix === null ? [exactly(space, term)] : [exactly(space, term), beginning(space, prefix)],
    ),
    ...phrases.flatMap((phrase) => phrase.terms.map((term) => exactly(space, term))),
  ]);
  const numbers = await count([...scored]);
  const passages = new Map([...scored].map((one, at) => [one, numbers[at] ?? 0]));
  const all = Math.max(total, ...numbers);
  const items = [...passages]
    .filter(([, number]) => number > 0)
    .map(([one, number]) => ({ query: one, weight: idf(number, all) }));
  if (items.length === 0) return null;
  if (phrases.length > 0)
    return {
      items,
      expressions: [phrases.map((phrase) => inOrder(space, phrase)).join(' & ')],
      most: 0,
    };
  const left = terms.map(
    (term): CountedTerm => ({ term, passages: passages.get(whole(term.term, term.prefix)) ?? 0 }),
  );
  const there = left.filter((one) => one.passages > 0);
  const any = there.map(({ term }) => `(${anyForm(space, term)})`).join(' | ');
  const narrower = SHARES.map((share) =>
    discriminatingSets(there, all, share)
      .map((set) => `(${set.map((term) => anyForm(space, term)).join(' & ')})`)
      .join(' | '),
  ).filter((one, at, others) => one !== any && one !== others[at - 1]);
  return {
    items,
    expressions: [any, ...narrower],
    most: there.reduce((sum, one) => sum + one.passages, 0),
  };
}

import { type Query, stemPrefix } from '../../../lib/text/index.ts';
import type { TermIndex } from '../terms/index.ts';

/** Terms that a search treats as one term, such as the forms of a word. */
export interface TermGroup {
  /** Distinct numbers. Those of `exact` come first. */
  readonly terms: readonly number[];
  /** The terms that are words of the query. All other terms are other forms of these words and count half. Null: all terms count fully. */
  readonly exact: readonly number[] | null;
  /** Factor by which the scores of the group are multiplied. */
  readonly weight: number;
  /** `true`: results must contain a term of the group. */
  readonly required: boolean;
  /** Word that may be misspelt. If the scope contains no term of the group, the search corrects the word. Null: never. */
  readonly word: string | null;
}

/** Weight of words that are long enough to have other forms, relative to short words, numbers and codes. */
export const WORD_WEIGHT = 2;

/** Returns the groups of a query. Phrases come first, and their terms are required. */
export function groupsOf(index: TermIndex, query: Query): readonly TermGroup[] {
  const groups = new Map<string, TermGroup>();
  for (const phrase of query.phrases)
    for (const [at, term] of phrase.terms.entries()) {
      const isPrefix = phrase.prefix && at === phrase.terms.length - 1;
      const terms = isPrefix ? withPrefix(index, term) : withTerm(index, term);
      groups.set(isPrefix ? `^${term}` : `=${term}`, {
        ...{ terms, exact: null, weight: 1, required: true, word: null },
      });
    }
  for (const { term, prefix, isCompound } of query.terms) {
    if (prefix === null) {
      if (groups.has(`=${term}`)) continue;
      const terms = withTerm(index, term);
      groups.set(`=${term}`, { terms, exact: null, weight: 1, required: false, word: null });
    } else {
      const word = isCompound || stemPrefix(term) === null ? null : term;
      groups.set(`~${term}`, { ...formsOf(index, [{ term, prefix }]), required: false, word });
    }
  }
  return [...groups.values()];
}

/** Returns the terms that are equal to one of the words, followed by those that start with its prefix. */
export function formsOf(
  index: TermIndex,
  words: readonly { readonly term: string; readonly prefix: string | null }[],
): Pick<TermGroup, 'terms' | 'exact' | 'weight'> {
  const exact = words.flatMap(({ term }) => withTerm(index, term));
  const lists = words.map(({ prefix }) => (prefix === null ? [] : withPrefix(index, prefix)));
  const [only] = lists;
  // A list has no duplicates. It can contain a million terms, so it is not copied into a set.
  const forms = lists.length === 1 && only !== undefined ? only : [...new Set(lists.flat())];
  const terms = [...exact, ...forms.filter((term) => !exact.includes(term))];
  return { terms, exact, weight: WORD_WEIGHT };
}

function withTerm({ dictionary }: TermIndex, term: string): number[] {
  const number = dictionary.find(Buffer.from(term));
  return number < 0 ? [] : [number];
}

function withPrefix({ dictionary }: TermIndex, prefix: string): number[] {
  return dictionary.withPrefix(Buffer.from(prefix));
}

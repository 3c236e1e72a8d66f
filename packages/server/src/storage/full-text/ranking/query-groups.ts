import { type Query, stemPrefix } from '../../../lib/text/index.ts';
import type { TermIndex } from '../terms/index.ts';

/** Numbers of terms. They must not be changed. */
export type TermNumbers = Uint32Array | readonly number[];

/** Terms that a search treats as one term, such as the forms of a word. */
export interface TermGroup {
  /** Looks up the terms, which are distinct. Words with the same prefix have the same array. */
  readonly terms: () => TermNumbers;
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
  const byPrefix: TermsByPrefix = new Map();
  for (const phrase of query.phrases)
    for (const [at, term] of phrase.terms.entries()) {
      const isPrefix = phrase.prefix && at === phrase.terms.length - 1;
      const terms = isPrefix ? withPrefix(index, term, byPrefix) : withTerm(index, term);
      groups.set(isPrefix ? `^${term}` : `=${term}`, {
        ...{ terms: () => terms, exact: null, weight: 1, required: true, word: null },
      });
    }
  for (const { term, prefix, isCompound } of query.terms) {
    if (prefix === null) {
      if (groups.has(`=${term}`)) continue;
      const terms = withTerm(index, term);
      groups.set(`=${term}`, {
        ...{ terms: () => terms, exact: null, weight: 1, required: false, word: null },
      });
    } else {
      const word = isCompound || stemPrefix(term) === null ? null : term;
      const forms = formsOf(index, [{ term, prefix }], byPrefix);
      groups.set(`~${term}`, { ...forms, required: false, word });
    }
  }
  return [...groups.values()];
}

/** Terms by the prefix with which they start. A prefix can have a million terms. */
type TermsByPrefix = Map<string, TermNumbers>;

/**
 * Returns the terms that are equal to one of the words or start with its prefix.
 *
 * @param byPrefix prefixes that were looked up before. Receives those of the words.
 */
export function formsOf(
  index: TermIndex,
  words: readonly { readonly term: string; readonly prefix: string | null }[],
  byPrefix: TermsByPrefix = new Map(),
): Pick<TermGroup, 'terms' | 'exact' | 'weight'> {
  const exact = words.flatMap(({ term }) => withTerm(index, term));
  const forms = (prefix: string) => withPrefix(index, prefix, byPrefix);
  const [word, ...others] = words;
  // Words with the same prefix share the array, so it is not copied. It contains the word, because the word starts with the prefix.
  if (others.length === 0 && word?.prefix != null && word.term.startsWith(word.prefix)) {
    const { prefix } = word;
    return { terms: () => forms(prefix), exact, weight: WORD_WEIGHT };
  }
  const terms = () => {
    const all = words.flatMap(({ prefix }) => (prefix === null ? [] : [...forms(prefix)]));
    return [...new Set([...exact, ...all])];
  };
  return { terms, exact, weight: WORD_WEIGHT };
}

function withTerm({ dictionary }: TermIndex, term: string): number[] {
  const number = dictionary.find(Buffer.from(term));
  return number < 0 ? [] : [number];
}

function withPrefix(
  { dictionary }: TermIndex,
  prefix: string,
  byPrefix: TermsByPrefix,
): TermNumbers {
  const known = byPrefix.get(prefix);
  if (known !== undefined) return known;
  const terms = dictionary.withPrefix(Buffer.from(prefix));
  byPrefix.set(prefix, terms);
  return terms;
}

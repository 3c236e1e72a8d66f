import type { Query } from '../../../lib/text/index.ts';
import type { TermIndex } from './term-index.ts';

/** Terms that a search treats as one term, such as all terms that start with the same prefix. */
export interface TermGroup {
  readonly terms: readonly number[];
  /** Factor by which the scores of the group are multiplied. */
  readonly weight: number;
  /** `true`: results must contain a term of the group. */
  readonly required: boolean;
}

/** Weight of a prefix relative to the complete word. The relevance benchmark supports this value. */
export const PREFIX_WEIGHT = 1;

/**
 * Returns the groups of a query. Phrases come first, and their terms are required. A word and its prefix are separate groups, so a
 * passage that contains the exact word matches both.
 */
export function groupsOf({ dictionary }: TermIndex, query: Query): readonly TermGroup[] {
  const groups = new Map<string, TermGroup>();
  const exact = (term: string, required: boolean) => {
    const number = dictionary.find(Buffer.from(term));
    const key = `=${term}`;
    groups.set(key, {
      terms: number < 0 ? [] : [number],
      weight: 1,
      required: required || groups.get(key)?.required === true,
    });
  };
  const prefix = (start: string, required: boolean) => {
    const key = `^${start}`;
    groups.set(key, {
      terms: groups.get(key)?.terms ?? dictionary.withPrefix(Buffer.from(start)),
      weight: PREFIX_WEIGHT,
      required: required || groups.get(key)?.required === true,
    });
  };
  for (const phrase of query.phrases)
    for (const [index, term] of phrase.terms.entries())
      if (phrase.prefix && index === phrase.terms.length - 1) prefix(term, true);
      else exact(term, true);
  for (const { term, prefix: start } of query.terms) {
    exact(term, false);
    if (start !== null) prefix(start, false);
  }
  return [...groups.values()];
}

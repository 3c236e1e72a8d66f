import type { QueryTerm } from './query.ts';

interface Sought {
  readonly text: string;
  /** Index of the query term. */
  readonly index: number;
}

/**
 * Finds the term of a query that a term of a text matches. A search calls it for every word of its results. The terms are ordered by
 * their first UTF-16 code unit, so that most words are compared with none of them. A map of the terms would have to hash every word.
 */
export class TermMatcher {
  readonly #terms = new Map<number, Sought[]>();
  readonly #prefixes = new Map<number, Sought[]>();

  constructor(terms: readonly QueryTerm[]) {
    for (const [index, { term, prefix }] of terms.entries()) {
      add(this.#terms, { text: term, index });
      if (prefix !== null) add(this.#prefixes, { text: prefix, index });
    }
  }

  /** Returns the index of the query term that equals a term of the text. */
  exact(term: string): number | undefined {
    return this.#terms.get(term.charCodeAt(0))?.find(({ text }) => text === term)?.index;
  }

  /** Returns the index of the first query term whose prefix a term of the text starts with. */
  byPrefix(term: string): number | undefined {
    return this.#prefixes.get(term.charCodeAt(0))?.find(({ text }) => term.startsWith(text))?.index;
  }
}

function add(terms: Map<number, Sought[]>, sought: Sought): void {
  const first = sought.text.charCodeAt(0);
  const others = terms.get(first);
  if (others === undefined) terms.set(first, [sought]);
  else others.push(sought);
}

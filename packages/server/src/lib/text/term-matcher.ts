import type { QueryTerm } from './query.ts';

interface Prefix {
  readonly text: string;
  /** Index of the query term. */
  readonly index: number;
}

/** Finds the term of a query that a term of a text matches. A search calls it for every word of its results. */
export class TermMatcher {
  readonly #exact: ReadonlyMap<string, number>;
  /** Prefixes by their first UTF-16 code unit, so that most words are compared with none of them. */
  readonly #prefixes = new Map<number, Prefix[]>();

  constructor(terms: readonly QueryTerm[]) {
    this.#exact = new Map(terms.map(({ term }, index) => [term, index]));
    for (const [index, { prefix }] of terms.entries()) {
      if (prefix === null) continue;
      const first = prefix.charCodeAt(0);
      const others = this.#prefixes.get(first);
      if (others === undefined) this.#prefixes.set(first, [{ text: prefix, index }]);
      else others.push({ text: prefix, index });
    }
  }

  /** Returns the index of the query term that equals a term of the text. */
  exact(term: string): number | undefined {
    return this.#exact.get(term);
  }

  /** Returns the index of the first query term whose prefix a term of the text starts with. */
  byPrefix(term: string): number | undefined {
    return this.#prefixes.get(term.charCodeAt(0))?.find(({ text }) => term.startsWith(text))?.index;
  }
}

import { characterClass, codePointAt, UNIT } from './character.ts';
import type { QueryTerm } from './query.ts';
import { TermMatcher } from './term-matcher.ts';
import { tokenise } from './tokenise.ts';

/** Maximum distance of two words that are near each other, in words. Adjacent words have the distance 1. */
const MAX_DISTANCE = 10;

const SHORT_WORD = /^\p{L}{1,3}$/u;

/**
 * Measures how near different words of a query are to each other in each text. Returns 0 if no two words are within ten words of each
 * other. For a query of two words, returns 0.5 if they are adjacent once. Further occurrences increase the result. Words of up to three
 * letters do not count, because most of them are articles and prepositions.
 */
export function closeness(texts: readonly string[], terms: readonly QueryTerm[]): number {
  const words = terms.filter(isSignificant);
  if (words.length < 2) return 0;
  const pairs = new Pairs(words);
  for (const text of texts) pairs.add(text);
  return pairs.sum / (words.length - 1);
}

function isSignificant({ term, isCompound }: QueryTerm): boolean {
  if (isCompound === true) return false;
  return !SHORT_WORD.test(term) || characterClass(codePointAt(term, 0)) === UNIT;
}

/** The pairs of different terms that occur near each other. */
class Pairs {
  readonly #matcher: TermMatcher;
  readonly #size: number;
  /** Sum of the inverse distances of each pair. The pair `i < j` has the index `i * size + j`. */
  readonly #nearness: Float64Array;

  constructor(terms: readonly QueryTerm[]) {
    this.#size = terms.length;
    this.#matcher = new TermMatcher(terms);
    this.#nearness = new Float64Array(terms.length ** 2);
  }

  get sum(): number {
    return this.#nearness.reduce((sum, one) => sum + one / (one + 1), 0);
  }

  add(text: string): void {
    const last = new Int32Array(this.#size).fill(-MAX_DISTANCE - 1);
    for (const [position, { term, kind }] of tokenise(text).entries()) {
      if (kind === 'compound') return;
      const found = this.#matcher.exact(term) ?? this.#matcher.byPrefix(term);
      if (found === undefined) continue;
      for (let other = 0; other < this.#size; other++) {
        const distance = position - (last[other] as number);
        if (other === found || distance > MAX_DISTANCE) continue;
        const pair = Math.min(found, other) * this.#size + Math.max(found, other);
        this.#nearness[pair] = (this.#nearness[pair] as number) + 1 / distance;
      }
      last[found] = position;
    }
  }
}

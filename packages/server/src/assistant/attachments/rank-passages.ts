import { readQuery, tokenise } from '../../lib/text/index.ts';

/** Parameters of BM25. */
const K1 = 1.2;
const B = 0.75;
/** Factor of terms that are only other forms of a word of the query. */
const FORM_FACTOR = 0.5;

/**
 * An index of a few texts. Its statistics consist of these texts alone.
 *
 * @example
 * const index = new TextIndex(passages.map(({ text }) => text));
 * index.rank('refund policy', 4); // [2, 0]
 */
export class TextIndex {
  /** For each term, the number of occurrences by text. */
  readonly #postings = new Map<string, Map<number, number>>();
  readonly #lengths: number[] = [];
  readonly #average: number;

  constructor(texts: readonly string[]) {
    let total = 0;
    for (const [at, text] of texts.entries()) {
      const tokens = tokenise(text);
      for (const { term } of tokens) this.#add(term, at);
      this.#lengths.push(tokens.length);
      total += tokens.length;
    }
    this.#average = Math.max(1, total / Math.max(1, texts.length));
  }

  #add(term: string, at: number): void {
    const counts = this.#postings.get(term);
    if (counts === undefined) this.#postings.set(term, new Map([[at, 1]]));
    else counts.set(at, (counts.get(at) ?? 0) + 1);
  }

  /** Returns the positions of the best matches, best first. Texts without a word of the query are omitted. */
  rank(query: string, limit: number): number[] {
    const { terms, phrases } = readQuery(query);
    const words = [
      ...terms.map(({ term, prefix }) => ({ term, prefix })),
      ...phrases.flatMap((phrase) => phrase.terms.map((term) => ({ term, prefix: null }))),
    ];
    const scores = new Map<number, number>();
    for (const { term, prefix } of words) {
      const counts = this.#countsOf(term, prefix);
      const idf = Math.log(1 + (this.#lengths.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [at, count] of counts) {
        const norm = 1 - B + (B * (this.#lengths[at] ?? 0)) / this.#average;
        const score = (idf * (K1 + 1) * count) / (count + K1 * norm);
        scores.set(at, (scores.get(at) ?? 0) + score);
      }
    }
    return [...scores]
      .toSorted(([oneAt, one], [otherAt, other]) => other - one || oneAt - otherAt)
      .slice(0, limit)
      .map(([at]) => at);
  }

  #countsOf(term: string, prefix: string | null): ReadonlyMap<number, number> {
    const exact = this.#postings.get(term) ?? new Map<number, number>();
    if (prefix === null) return exact;
    const sums = new Map(exact);
    for (const [other, counts] of this.#postings)
      if (other !== term && other.startsWith(prefix))
        for (const [at, count] of counts) sums.set(at, (sums.get(at) ?? 0) + FORM_FACTOR * count);
    return sums;
  }
}

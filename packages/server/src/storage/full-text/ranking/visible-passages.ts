import { NumberSet } from './number-set.ts';
import { ordinalOf } from './postings.ts';
import type { IndexedDocument, TermIndex } from './term-index.ts';

/**
 * The passages of a scope, with the statistics that ranking needs. All statistics of a search are computed from these passages, so
 * passages outside the scope cannot affect its result.
 */
export class VisiblePassages {
  readonly #set: NumberSet;
  /** Terms that are known to be in no visible passage; see `addHiddenTerm`. */
  readonly #hiddenTerms: NumberSet;
  #hasHiddenTerms = false;
  /** Number of passages. */
  count = 0;
  /** Number of terms in all passages. */
  terms = 0;

  /** @param index the index whose passages can be visible. */
  constructor(index: TermIndex) {
    this.#set = new NumberSet(index.size);
    this.#hiddenTerms = new NumberSet(index.dictionary.size);
  }

  get bits(): Uint32Array {
    return this.#set.bits;
  }

  get byteLength(): number {
    return this.#set.byteLength + this.#hiddenTerms.byteLength;
  }

  /**
   * Copies a term's postings to the start of an array and returns their number. Returns 0 if the term was passed to `addHiddenTerm`.
   *
   * @param index the index of the constructor.
   */
  read({ postings }: TermIndex, term: number, into: Uint32Array): number {
    return this.#hiddenTerms.has(term) ? 0 : postings.read(term, into);
  }

  /**
   * Records that no visible passage contains a term, so that later searches do not read its postings. The time of reading them would reveal
   * how many hidden passages contain the term. All such terms are forgotten when a passage becomes visible.
   */
  addHiddenTerm(term: number): void {
    this.#hiddenTerms.addRange(term, term + 1);
    this.#hasHiddenTerms = true;
  }

  /** Returns the number of visible passages among the first `length` postings of an array. */
  countIn(postings: Uint32Array, length: number): number {
    const { bits } = this.#set;
    let count = 0;
    for (let at = 0; at < length; at++) {
      const ordinal = ordinalOf(postings[at] as number);
      count += ((bits[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1;
    }
    return count;
  }

  /** Adds the passages of a document to the scope or removes them. */
  set({ first, end, terms }: IndexedDocument, visible: boolean): void {
    if (first === end || this.#set.has(first) === visible) return;
    if (visible) {
      this.#set.addRange(first, end);
      this.#forgetHiddenTerms();
    } else this.#set.deleteRange(first, end);
    this.count += visible ? end - first : first - end;
    this.terms += visible ? terms : -terms;
  }

  #forgetHiddenTerms(): void {
    if (!this.#hasHiddenTerms) return;
    this.#hiddenTerms.clear();
    this.#hasHiddenTerms = false;
  }
}

/** Creates a set of all passages of the documents with the given numbers. Ignores unknown numbers. */
export function passagesOf(index: TermIndex, numbers: Iterable<number>): VisiblePassages {
  const visible = new VisiblePassages(index);
  for (const number of numbers) {
    const slot = index.slotOf(number);
    if (slot !== null) visible.set(index.document(slot), true);
  }
  return visible;
}

import {
  type IndexedDocument,
  MAX_ORDINALS,
  NumberSet,
  ordinalOf,
  type PostingsCursor,
  type TermIndex,
} from '../terms/index.ts';

/** Objects that are needed to read postings. */
export interface PostingsReader {
  readonly cursor: PostingsCursor;
  /** Array that is overwritten. Not empty. */
  readonly buffer: Uint32Array;
  readonly kept: KeptPostings;
}

/** Lists of postings, one after another. */
export interface KeptPostings {
  readonly array: Uint32Array;
  /** Number of elements in use. */
  used: number;
}

/**
 * The passages of a scope, with the statistics that ranking needs. All statistics of a search are computed from these passages, so
 * passages outside the scope cannot affect its result.
 */
export class VisiblePassages {
  readonly #set: NumberSet;
  /** Terms that are known to be in no visible passage. */
  readonly #hiddenTerms: NumberSet;
  #hasHiddenTerms = false;
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

  /** Reports whether a term is known to be in no visible passage. `collect` does not read the postings of such a term. */
  isHidden(term: number): boolean {
    return this.#hiddenTerms.has(term);
  }

  /**
   * Appends the postings of a term in visible passages to `kept` if they fit. Returns their number. If there are none, later calls do not
   * read the postings of the term: the time of reading them would reveal how many hidden passages contain it.
   *
   * @param index the index of the constructor.
   * @param union set to which these passages are added; see `NumberSet.bits`.
   */
  collect(
    { postings }: TermIndex,
    term: number,
    { cursor, buffer, kept }: PostingsReader,
    union: Uint32Array | null = null,
  ): number {
    if (this.isHidden(term)) return 0;
    postings.seek(cursor, term);
    let count = 0;
    let into = kept.array;
    let start = kept.used;
    for (;;) {
      if (start === into.length) {
        into = buffer;
        start = 0;
      }
      const read = cursor.read(MAX_ORDINALS, into, start);
      if (read === start) break;
      const end = this.keep(into, start, read);
      count += end - start;
      if (union !== null) addOrdinals(union, into, start, end);
      if (into !== buffer) start = end;
    }
    if (into !== buffer) kept.used = start;
    if (count === 0) this.#addHiddenTerm(term);
    return count;
  }

  /** Removes the hidden passages from the postings in part of an array. Returns the end of the remaining postings. */
  keep(postings: Uint32Array, start: number, end: number): number {
    const { bits } = this.#set;
    let kept = start;
    for (let at = start; at < end; at++) {
      const posting = postings[at] as number;
      const ordinal = ordinalOf(posting);
      // Without a branch, because a processor cannot predict which passages are visible.
      postings[kept] = posting;
      kept += ((bits[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1;
    }
    return kept;
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

  #addHiddenTerm(term: number): void {
    this.#hiddenTerms.addRange(term, term + 1);
    this.#hasHiddenTerms = true;
  }

  /** A visible passage can contain them now. */
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

function addOrdinals(set: Uint32Array, postings: Uint32Array, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const ordinal = ordinalOf(postings[at] as number);
    set[ordinal >>> 5] = (set[ordinal >>> 5] as number) | (1 << (ordinal & 31));
  }
}

import { bitsOf, ordinalOf, type PostingsCursor, type TermIndex } from '../terms/index.ts';
import type { TermNumbers } from './query-groups.ts';
import { type Scratch, WINDOW } from './scratch.ts';
import type { KeptPostings, VisiblePassages } from './visible-passages.ts';

/** Minimum number of postings per window of a term that is read separately. */
const POSTINGS_PER_WINDOW = 4;

/** The elements of `Scratch.kept` from `start` to `end`: the visible postings of one term or more, ordered by their windows. */
export interface KeptList {
  readonly start: number;
  readonly end: number;
}

/** Terms whose postings did not fit into `Scratch.kept`. */
export interface UnkeptList {
  readonly start: null;
  readonly terms: readonly number[];
}

export type PostingList = KeptList | UnkeptList;

/** The postings of a set of terms in a scope. */
export interface CollectedTerms {
  readonly common: readonly { readonly term: number; readonly list: PostingList }[];
  /** The postings of all terms that have few postings. */
  readonly rare: PostingList | null;
  /** Number of visible passages that contain at least one of the terms. Greater than 0. */
  readonly passages: number;
}

/** Has no room, so reading only counts postings. */
const NOTHING_KEPT: KeptPostings = { array: new Uint32Array(0), used: 0 };

/** Collects the postings that a query needs in a scope. */
export class TermCollector {
  readonly #index: TermIndex;
  readonly #visible: VisiblePassages;
  readonly #cursor: PostingsCursor;
  readonly #buffer: Uint32Array;
  readonly #union: Uint32Array;
  readonly #kept: KeptPostings;
  readonly #collected = new Map<TermNumbers, CollectedTerms | null>();
  readonly #maxTerms: number;
  /** Number of collected terms that are in a visible passage. */
  #terms = 0;

  constructor(
    index: TermIndex,
    visible: VisiblePassages,
    { buffer, union, kept, maxTerms }: Scratch,
  ) {
    this.#maxTerms = maxTerms;
    this.#index = index;
    this.#visible = visible;
    this.#cursor = index.postings.cursor();
    this.#buffer = buffer;
    this.#union = union;
    this.#kept = { array: kept, used: 0 };
  }

  /**
   * Collects the postings of several terms. Returns `null` if no visible passage contains any of them. Words with the same prefix have the same
   * array of terms, which is collected only once.
   */
  collect(terms: TermNumbers): CollectedTerms | null {
    const known = this.#collected.get(terms);
    if (known !== undefined) return known;
    const collected = this.#collect(this.#withoutHidden(terms));
    this.#collected.set(terms, collected);
    return collected;
  }

  /**
   * `true` if so many terms were collected that the search should collect no further forms of words. Depends only on the visible passages:
   * terms that are in none of them do not count.
   */
  get isExhausted(): boolean {
    return this.#terms >= this.#maxTerms;
  }

  /** Returns the number of visible passages that contain a term. */
  count(term: number): number {
    return this.#read(term, NOTHING_KEPT, null);
  }

  /** Collects the postings of one term. Returns `null` if no visible passage contains it. */
  collectTerm(term: number, union: Uint32Array | null = null): CollectedTerm | null {
    const start = this.#kept.used;
    const count = this.#read(term, this.#kept, union);
    if (count === 0) return null;
    const end = this.#kept.used;
    return { count, list: end > start ? { start, end } : { start: null, terms: [term] } };
  }

  /** Removes the terms that are known to be in no visible passage. A prefix can have a million of them. */
  #withoutHidden(terms: TermNumbers): readonly number[] {
    const others: number[] = [];
    for (const term of terms) if (!this.#visible.isHidden(term)) others.push(term);
    return others;
  }

  #collect(terms: readonly number[]): CollectedTerms | null {
    const union = terms.length > 1 ? this.#union : null;
    const { common, rare } = this.#byFrequency(terms);
    const lists: { readonly term: number; readonly list: PostingList }[] = [];
    let passages = 0;
    for (const term of common) {
      const found = this.collectTerm(term, union);
      if (found === null) continue;
      this.#terms += 1;
      passages += found.count;
      lists.push({ term, list: found.list });
    }
    const rareList = this.#collectRare(rare, union);
    if (lists.length === 0 && rareList === null) return null;
    return {
      common: lists,
      rare: rareList,
      passages: union === null ? passages : countAndClear(union),
    };
  }

  #collectRare(terms: readonly number[], union: Uint32Array | null): PostingList | null {
    const kept = this.#kept;
    const start = kept.used;
    let into = kept;
    let found = 0;
    for (const term of terms) {
      const before = kept.used;
      const count = this.#read(term, into, union);
      found += count;
      if (count > 0) this.#terms += 1;
      if (count > 0 && kept.used === before) into = NOTHING_KEPT;
    }
    if (found === 0) return null;
    if (into !== kept) {
      kept.used = start;
      return { start: null, terms };
    }
    orderByWindow(kept.array.subarray(start, kept.used), this.#windows);
    return { start, end: kept.used };
  }

  #read(term: number, kept: KeptPostings, union: Uint32Array | null): number {
    const reader = { cursor: this.#cursor, buffer: this.#buffer, kept };
    return this.#visible.collect(this.#index, term, reader, union);
  }

  /** Separates the terms with few postings. Reading each of them in each window would take longer than reading them together. */
  #byFrequency(terms: readonly number[]): {
    readonly common: readonly number[];
    readonly rare: readonly number[];
  } {
    const { postings } = this.#index;
    const fewest = this.#windows * POSTINGS_PER_WINDOW;
    const common = terms.filter((term) => postings.count(term) >= fewest);
    if (terms.length - common.length <= 1) return { common: terms, rare: [] };
    return { common, rare: terms.filter((term) => postings.count(term) < fewest) };
  }

  get #windows(): number {
    return Math.ceil(this.#index.size / WINDOW);
  }
}

interface CollectedTerm {
  readonly list: PostingList;
  /** Number of visible passages that contain the term. */
  readonly count: number;
}

/** Orders postings by their windows. Within a window, their order is undefined. */
function orderByWindow(postings: Uint32Array, windows: number): void {
  const ends = new Uint32Array(windows + 1);
  for (const posting of postings) {
    const window = windowOf(posting) + 1;
    ends[window] = (ends[window] as number) + 1;
  }
  for (let window = 1; window <= windows; window++)
    ends[window] = (ends[window] as number) + (ends[window - 1] as number);
  for (const posting of postings.slice()) {
    const window = windowOf(posting);
    const at = ends[window] as number;
    postings[at] = posting;
    ends[window] = at + 1;
  }
}

function windowOf(posting: number): number {
  return Math.floor(ordinalOf(posting) / WINDOW);
}

function countAndClear(set: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < set.length; at++) count += bitsOf(set[at] as number);
  set.fill(0);
  return count;
}

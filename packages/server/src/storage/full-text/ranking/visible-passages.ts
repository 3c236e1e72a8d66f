import { PassageSet } from './passage-set.ts';
import { ordinalOf } from './postings.ts';
import type { IndexedDocument, TermIndex } from './term-index.ts';

/**
 * The passages of a scope, with the statistics that ranking needs. All statistics of a search are computed from these passages, so
 * passages outside the scope cannot affect its result.
 */
export class VisiblePassages {
  readonly #set: PassageSet;
  /** Number of passages. */
  count = 0;
  /** Number of terms in all passages. */
  terms = 0;

  /** @param capacity number of ordinals to allocate; see `TermIndex.size`. */
  constructor(capacity = 0) {
    this.#set = new PassageSet(capacity);
  }

  get bits(): Uint32Array {
    return this.#set.bits;
  }

  get byteLength(): number {
    return 4 * this.#set.bits.length;
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
    if (visible) this.#set.addRange(first, end);
    else this.#set.deleteRange(first, end);
    this.count += visible ? end - first : first - end;
    this.terms += visible ? terms : -terms;
  }
}

/** Creates a set of all passages of the documents with the given numbers. Ignores unknown numbers. */
export function passagesOf(index: TermIndex, numbers: Iterable<number>): VisiblePassages {
  const visible = new VisiblePassages(index.size);
  for (const number of numbers) {
    const slot = index.slotOf(number);
    if (slot !== null) visible.set(index.document(slot), true);
  }
  return visible;
}

import { grown } from './grown.ts';
import { MAX_ORDINALS, Postings } from './postings.ts';
import { TermDictionary } from './term-dictionary.ts';
import { decodeTermVectors, type Frequencies, type TermVectorSink } from './term-vectors.ts';

/** Weights of the fields. The relevance benchmark supports these values. */
export const FIELD_WEIGHTS: Frequencies = { title: 2, heading: 3, body: 1 };

/** Approximate size in bytes of an entry of the map from document numbers to slots. */
const MAP_ENTRY_BYTES = 48;

/**
 * The terms of the passages of a space, in memory. Passages are numbered in the order in which they are added. This number is the
 * ordinal of the passage. The passages of a document have consecutive ordinals. The postings of a deleted document stay in memory,
 * but searches skip them because no scope contains its passages.
 *
 * @example
 * const index = new TermIndex();
 * index.add(documentNumber, [encodeTermVectors(texts)]);
 */
export class TermIndex implements TermVectorSink {
  readonly dictionary = new TermDictionary();
  readonly postings = new Postings();
  /** Number of terms of each passage. */
  lengths = new Uint32Array(64);
  /** Slot of each passage's document. */
  #slots = new Uint32Array(64);
  #bySlot: DocumentSlots = new DocumentSlots();
  readonly #byNumber = new Map<number, number>();
  readonly #weights: Frequencies;
  #chunkStart = 0;
  #term = 0;
  /** Number of ordinals in use, including those of deleted documents. */
  size = 0;
  /** Number of passages of deleted documents. */
  deleted = 0;

  constructor(weights: Frequencies = FIELD_WEIGHTS) {
    this.#weights = weights;
  }

  get byteLength(): number {
    return (
      this.dictionary.byteLength +
      this.postings.byteLength +
      4 * (this.lengths.length + this.#slots.length) +
      this.#bySlot.byteLength +
      MAP_ENTRY_BYTES * this.#byNumber.size
    );
  }

  /**
   * Adds a document and returns its slot. Documents without passages are valid. Throws `RangeError` if a chunk is corrupt. The
   * index then does not contain the document.
   *
   * @param chunks term vectors of the document's passages, in order; see `encodeTermVectors`.
   */
  add(number: number, chunks: Iterable<Uint8Array>): number {
    const first = this.size;
    const slot = this.#bySlot.add(number, first);
    this.#byNumber.set(number, slot);
    try {
      for (const chunk of chunks) {
        this.#chunkStart = this.size;
        decodeTermVectors(chunk, this);
      }
    } catch (error) {
      // Postings cannot be removed. As those of a deleted document, they belong to ordinals that no scope contains.
      this.#finish(slot, first);
      this.delete(number);
      throw error;
    }
    this.#finish(slot, first);
    return slot;
  }

  #finish(slot: number, first: number): void {
    let terms = 0;
    for (let ordinal = first; ordinal < this.size; ordinal++) {
      this.#slots[ordinal] = slot;
      terms += this.lengths[ordinal] as number;
    }
    this.#bySlot.finish(slot, this.size, terms);
  }

  /** Deletes a document and returns its slot. Returns `null` if the document is unknown. */
  delete(number: number): number | null {
    const slot = this.#byNumber.get(number);
    if (slot === undefined) return null;
    this.#byNumber.delete(number);
    const { first, end } = this.document(slot);
    this.deleted += end - first;
    return slot;
  }

  slotOf(number: number): number | null {
    return this.#byNumber.get(number) ?? null;
  }

  /** Returns `false` if the document was deleted from this slot, even if it was added again in another slot. */
  isLive(slot: number): boolean {
    return this.#byNumber.get(this.#bySlot.number(slot)) === slot;
  }

  document(slot: number): IndexedDocument {
    return this.#bySlot.get(slot);
  }

  documentOf(ordinal: number): IndexedDocument {
    return this.#bySlot.get(this.#slots[ordinal] as number);
  }

  passage(length: number): void {
    if (this.size === MAX_ORDINALS) throw new Error('a space has too many passages to search');
    if (this.size === this.lengths.length) {
      this.lengths = grown(this.lengths, this.size * 1.25);
      this.#slots = grown(this.#slots, this.lengths.length);
    }
    this.lengths[this.size++] = length;
  }

  term(bytes: Uint8Array, start: number, end: number): void {
    this.#term = this.dictionary.add(bytes, start, end);
  }

  occurrence(passage: number, title: number, heading: number, body: number): void {
    if (this.#chunkStart + passage >= this.size)
      throw new RangeError('the term vectors name a passage that does not exist');
    const frequency =
      title * this.#weights.title + heading * this.#weights.heading + body * this.#weights.body;
    this.postings.add(this.#term, this.#chunkStart + passage, frequency);
  }
}

export interface IndexedDocument {
  readonly number: number;
  /** Ordinal of the first passage. */
  readonly first: number;
  /** Ordinal after the last passage. */
  readonly end: number;
  /** Number of terms in all passages. */
  readonly terms: number;
}

/** The documents of an index. A slot is the index of a document in the order in which documents are added. */
class DocumentSlots {
  #numbers = new Float64Array(16);
  #firsts = new Uint32Array(16);
  #ends = new Uint32Array(16);
  #terms = new Float64Array(16);
  #size = 0;

  get byteLength(): number {
    return 24 * this.#numbers.length;
  }

  add(number: number, first: number): number {
    const slot = this.#size++;
    if (slot === this.#numbers.length) {
      this.#numbers = grown(this.#numbers, slot * 1.25);
      this.#firsts = grown(this.#firsts, this.#numbers.length);
      this.#ends = grown(this.#ends, this.#numbers.length);
      this.#terms = grown(this.#terms, this.#numbers.length);
    }
    this.#numbers[slot] = number;
    this.#firsts[slot] = first;
    return slot;
  }

  finish(slot: number, end: number, terms: number): void {
    this.#ends[slot] = end;
    this.#terms[slot] = terms;
  }

  number(slot: number): number {
    return this.#numbers[slot] as number;
  }

  get(slot: number): IndexedDocument {
    return {
      number: this.number(slot),
      first: this.#firsts[slot] as number,
      end: this.#ends[slot] as number,
      terms: this.#terms[slot] as number,
    };
  }
}

import { bitsOf } from './bits-of.ts';
import { grown } from './grown.ts';

/** Maximum number of terms outside the sorted list, which a prefix search compares one by one. More terms are sorted first. */
const MAX_UNSORTED = 4096;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A set of distinct terms, numbered from 0 in the order in which they are added. All terms are in one byte array, because
 * hundreds of thousands of strings in a `Map` would take several times as much memory.
 */
export class TermDictionary {
  #bytes = new Uint8Array(1024);
  /** Start of each term in `#bytes`, followed by the end of the last term. */
  #starts = new Uint32Array(128);
  /**
   * Hash table with open addressing. It consists of pairs of elements: the number of a term plus 1, or 0 if the pair is free, and the
   * hash of the term.
   */
  #table = new Uint32Array(2 * 256);
  #sorted = new Uint32Array(0);
  readonly #signatures = new TermSignatures();
  size = 0;

  get byteLength(): number {
    return (
      this.#bytes.length +
      4 * (this.#starts.length + this.#table.length + this.#sorted.length) +
      this.#signatures.byteLength
    );
  }

  /** Returns the number of a term, or -1 if it is unknown. */
  find(bytes: Uint8Array, start = 0, end = bytes.length): number {
    return (this.#table[this.#slotOf(bytes, start, end, hashOf(bytes, start, end))] as number) - 1;
  }

  /** Returns the number of a term. Adds the term if it is unknown. */
  add(bytes: Uint8Array, start = 0, end = bytes.length): number {
    const hash = hashOf(bytes, start, end);
    const slot = this.#slotOf(bytes, start, end, hash);
    const known = this.#table[slot] as number;
    if (known !== 0) return known - 1;
    const term = this.size;
    this.#reserve(end - start);
    const offset = this.#starts[term] as number;
    for (let at = start; at < end; at++) this.#bytes[offset + at - start] = bytes[at] as number;
    this.#starts[term + 1] = offset + end - start;
    this.#table[slot] = term + 1;
    this.#table[slot + 1] = hash;
    this.#signatures.add(bytes, start, end);
    this.size = term + 1;
    if (this.size * 4 > this.#table.length) this.#rehash();
    return term;
  }

  /** Returns the numbers of all terms that start with a prefix, in no particular order. Do not change the array. */
  withPrefix(prefix: Uint8Array): Uint32Array {
    if (this.size - this.#sorted.length > MAX_UNSORTED) this.#sort();
    const sorted = this.#sorted;
    const isNotLess = (at: number) =>
      Buffer.compare(this.bytesOf(sorted[at] as number), prefix) >= 0;
    const isBehind = (at: number) => !this.#hasPrefix(sorted[at] as number, prefix);
    const first = firstIndex(0, sorted.length, isNotLess);
    const end = firstIndex(first, sorted.length, isBehind);
    const found = sorted.subarray(first, end);
    const unsorted: number[] = [];
    for (let term = sorted.length; term < this.size; term++)
      if (this.#hasPrefix(term, prefix)) unsorted.push(term);
    if (unsorted.length === 0) return found;
    const all = new Uint32Array(found.length + unsorted.length);
    all.set(found);
    all.set(unsorted, found.length);
    return all;
  }

  /** Returns all terms within an edit distance of the word that start with the same letter as the word, and possibly other terms. */
  similarTo(word: Uint8Array, distance: number): number[] {
    return this.#signatures.similarTo(word, distance);
  }

  /** Returns the UTF-8 bytes of a term. */
  bytesOf(term: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[term], this.#starts[term + 1]);
  }

  /** Returns the index of the term's pair, or of the free pair in which an unknown term belongs. */
  #slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let slot = (hash * 2) & mask; ; slot = (slot + 2) & mask) {
      const entry = table[slot] as number;
      if (entry === 0) return slot;
      if (table[slot + 1] === hash && this.#equals(entry - 1, bytes, start, end)) return slot;
    }
  }

  #equals(term: number, bytes: Uint8Array, start: number, end: number): boolean {
    const offset = this.#starts[term] as number;
    if ((this.#starts[term + 1] as number) - offset !== end - start) return false;
    for (let at = start; at < end; at++)
      if (this.#bytes[offset + at - start] !== bytes[at]) return false;
    return true;
  }

  #hasPrefix(term: number, prefix: Uint8Array): boolean {
    const offset = this.#starts[term] as number;
    if ((this.#starts[term + 1] as number) - offset < prefix.length) return false;
    for (let at = 0; at < prefix.length; at++)
      if (this.#bytes[offset + at] !== prefix[at]) return false;
    return true;
  }

  /** Sorts the new terms and merges them into the sorted list. */
  #sort(): void {
    const old = this.#sorted;
    const added = Uint32Array.from(
      { length: this.size - old.length },
      (_, index) => old.length + index,
    ).sort((one, other) => this.#compare(one, other));
    const merged = new Uint32Array(this.size);
    let fromOld = 0;
    let fromAdded = 0;
    for (let at = 0; at < merged.length; at++) {
      const takeOld =
        fromAdded === added.length ||
        (fromOld < old.length &&
          this.#compare(old[fromOld] as number, added[fromAdded] as number) < 0);
      merged[at] = takeOld ? (old[fromOld++] as number) : (added[fromAdded++] as number);
    }
    this.#sorted = merged;
  }

  #compare(one: number, other: number): number {
    return Buffer.compare(this.bytesOf(one), this.bytesOf(other));
  }

  #reserve(length: number): void {
    const used = this.#starts[this.size] as number;
    if (used + length > this.#bytes.length)
      this.#bytes = grown(this.#bytes, Math.max(used + length, this.#bytes.length * 1.5));
    if (this.size + 2 > this.#starts.length)
      this.#starts = grown(this.#starts, this.#starts.length * 1.5);
  }

  #rehash(): void {
    const old = this.#table;
    const table = new Uint32Array(old.length * 2);
    const mask = table.length - 1;
    for (let at = 0; at < old.length; at += 2) {
      const hash = old[at + 1] as number;
      if (old[at] === 0) continue;
      let slot = (hash * 2) & mask;
      while (table[slot] !== 0) slot = (slot + 2) & mask;
      table[slot] = old[at] as number;
      table[slot + 1] = hash;
    }
    this.#table = table;
  }
}

/** Returns the first index from `start` to `end` for which `isTrue` holds, or `end`. It must also hold for all later indexes. */
function firstIndex(start: number, end: number, isTrue: (at: number) => boolean): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the FNV-1a hash. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), FNV_PRIME);
  // The low bits select the slot, and FNV-1a mixes the high bits better.
  return (hash ^ (hash >>> 15)) >>> 0;
}

const LETTER_BITS = 18;
const LETTERS = 2 ** LETTER_BITS - 1;
const LENGTH_BITS = 6;
const MAX_LENGTH = 2 ** LENGTH_BITS - 1;

/**
 * A signature of 32 bits per term: the low byte of the first letter, the number of letters (up to 63), and a set of letters, hashed
 * to 18 bits. Comparing signatures excludes most terms that are not similar to a word, at a few nanoseconds per term.
 */
class TermSignatures {
  #signatures = new Uint32Array(128);
  #size = 0;

  get byteLength(): number {
    return 4 * this.#signatures.length;
  }

  /** Adds the next term, in UTF-8. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#size === this.#signatures.length)
      this.#signatures = grown(this.#signatures, this.#size * 1.5);
    this.#signatures[this.#size++] = signatureOf(bytes, start, end);
  }

  /** Returns all terms within an edit distance of the word that start with the same letter as the word, and possibly other terms. */
  similarTo(word: Uint8Array, distance: number): number[] {
    const signature = signatureOf(word, 0, word.length);
    const signatures = this.#signatures;
    const length = lengthOf(signature);
    const found: number[] = [];
    for (let term = 0; term < this.#size; term++) {
      const other = signatures[term] as number;
      const difference = other ^ signature;
      if (difference >>> (LETTER_BITS + LENGTH_BITS) !== 0) continue;
      if (Math.abs(lengthOf(other) - length) > distance) continue;
      // An edit replaces at most one letter of the set by another.
      if (bitsOf(difference & LETTERS) <= 2 * distance) found.push(term);
    }
    return found;
  }
}

function signatureOf(bytes: Uint8Array, start: number, end: number): number {
  let letters = 0;
  let length = 0;
  let first = 0;
  for (let at = start; at < end; length++) {
    let codePoint = bytes[at++] as number;
    while (at < end && ((bytes[at] as number) & 0xc0) === 0x80)
      codePoint = (codePoint << 6) | ((bytes[at++] as number) & 0x3f);
    if (length === 0) first = codePoint & 0xff;
    letters |= 1 << ((codePoint >>> 0) % LETTER_BITS);
  }
  const high = (first << LENGTH_BITS) | Math.min(length, MAX_LENGTH);
  return ((high << LETTER_BITS) | letters) >>> 0;
}

function lengthOf(signature: number): number {
  return (signature >>> LETTER_BITS) & MAX_LENGTH;
}

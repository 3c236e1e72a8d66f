import { bitsOf } from './bits-of.ts';
import { grown } from './grown.ts';

const LETTER_BITS = 18;
const LETTERS = 2 ** LETTER_BITS - 1;
const LENGTH_BITS = 6;
const MAX_LENGTH = 2 ** LENGTH_BITS - 1;

/**
 * A signature of 32 bits per term: the low byte of the first letter, the number of letters (up to 63), and a set of letters, hashed
 * to 18 bits. Comparing signatures excludes most terms that are not similar to a word, at a few nanoseconds per term.
 */
export class TermSignatures {
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

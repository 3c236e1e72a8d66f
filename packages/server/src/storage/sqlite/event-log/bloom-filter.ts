import { toBytes, toWords } from '../../event-log/stored-texts.ts';

/** Filter bits per identity. With six probes in one cache line, the false-positive rate is about 1%. */
const BITS_PER_KEY = 12;
const WORDS_PER_LINE = 16;
const BITS_PER_LINE = WORDS_PER_LINE * 32;

/**
 * A blocked Bloom filter over identities (Putze, Sanders and Singler, 2007). It has no false negatives. Identities are
 * cryptographic hashes, so their own bits serve as hash values: the second word selects a line of 64 bytes, and the third
 * and fourth words select three bits each.
 */
export class BloomFilter {
  readonly #words: Uint32Array;
  readonly #lines: number;

  private constructor(words: Uint32Array) {
    this.#words = words;
    this.#lines = words.length / WORDS_PER_LINE;
  }

  static for(keys: number): BloomFilter {
    const lines = Math.max(1, Math.ceil((keys * BITS_PER_KEY) / BITS_PER_LINE));
    return new BloomFilter(new Uint32Array(lines * WORDS_PER_LINE));
  }

  static from(bytes: Uint8Array): BloomFilter {
    return new BloomFilter(toWords(bytes));
  }

  add(words: Uint32Array, at: number): void {
    const start = this.#lineOf(words, at);
    let bits = words[at + 2] ?? 0;
    for (let probe = 0; probe < 6; probe += 1) {
      if (probe === 3) bits = words[at + 3] ?? 0;
      const word = start + ((bits >>> 5) & 15);
      this.#words[word] = (this.#words[word] ?? 0) | (1 << (bits & 31));
      bits >>>= 9;
    }
  }

  mayHold(words: Uint32Array, at: number): boolean {
    const start = this.#lineOf(words, at);
    let bits = words[at + 2] ?? 0;
    for (let probe = 0; probe < 6; probe += 1) {
      if (probe === 3) bits = words[at + 3] ?? 0;
      const word = start + ((bits >>> 5) & 15);
      if (((this.#words[word] ?? 0) & (1 << (bits & 31))) === 0) return false;
      bits >>>= 9;
    }
    return true;
  }

  toBytes(): Uint8Array {
    return toBytes(this.#words);
  }

  #lineOf(words: Uint32Array, at: number): number {
    return Math.floor(((words[at + 1] ?? 0) / 0x1_0000_0000) * this.#lines) * WORDS_PER_LINE;
  }
}

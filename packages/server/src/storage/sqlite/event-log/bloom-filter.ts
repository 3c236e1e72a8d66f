import { toBytes, toWords } from '../../event-log/stored-texts.ts';

/** Bits for each key: with six probes inside one cache line about 1 % of unknown keys pass. */
const BITS_PER_KEY = 12;
const WORDS_PER_LINE = 16;
const BITS_PER_LINE = WORDS_PER_LINE * 32;

/**
 * A blocked Bloom filter (Putze, Sanders, Singler 2007) over identities: it never says no to a key
 * that was added. Identities are cryptographic digests, so their own bits serve as the hashes: the
 * second word picks a line of 64 bytes, the third and fourth give three bits in it each.
 */
export class BloomFilter {
  readonly #words: Uint32Array;
  readonly #lines: number;

  private constructor(words: Uint32Array) {
    this.#words = words;
    this.#lines = words.length / WORDS_PER_LINE;
  }

  /** An empty filter, sized for this many keys. */
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
      const place = start + ((bits >>> 5) & 15);
      this.#words[place] = (this.#words[place] ?? 0) | (1 << (bits & 31));
      bits >>>= 9;
    }
  }

  mayHold(words: Uint32Array, at: number): boolean {
    const start = this.#lineOf(words, at);
    let bits = words[at + 2] ?? 0;
    for (let probe = 0; probe < 6; probe += 1) {
      if (probe === 3) bits = words[at + 3] ?? 0;
      const place = start + ((bits >>> 5) & 15);
      if (((this.#words[place] ?? 0) & (1 << (bits & 31))) === 0) return false;
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

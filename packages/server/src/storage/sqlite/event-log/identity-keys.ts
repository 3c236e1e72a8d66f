const FIRST_CAPACITY = 1024;

export const KEY_BYTES = 16;

/** Number of 32-bit words per identity. Identities in memory are concatenated in one array of words. */
export const KEY_WORDS = 4;

/** Returns the number of the block, among 2 ** `bits` blocks, that contains the identity at `at`. `bits` is 0 to 31. */
export function blockOf(words: Uint32Array, at: number, bits: number): number {
  return bits === 0 ? 0 : (words[at] ?? 0) >>> (32 - bits);
}

export function sameKey(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  return (
    a[atA] === b[atB] &&
    a[atA + 1] === b[atB + 1] &&
    a[atA + 2] === b[atB + 2] &&
    a[atA + 3] === b[atB + 3]
  );
}

/**
 * A set of identities with transactions. It consists of two flat arrays: the words in insertion order, and a hash table
 * with open addressing. A rollback truncates the words. A `Set` of strings would need several times the memory and time.
 */
export class RecentKeys {
  #words = new Uint32Array(FIRST_CAPACITY * KEY_WORDS);
  /** Index of the key plus one, or 0 for a free slot. At most half of the slots are used. */
  #slots = new Int32Array(FIRST_CAPACITY * 2);
  #size = 0;
  #committed = 0;

  get size(): number {
    return this.#size;
  }

  /** All identities, concatenated. Valid until the next `add`. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#size * KEY_WORDS);
  }

  has(words: Uint32Array, at: number): boolean {
    return this.#slots[this.#find(words, at)] !== 0;
  }

  /** Adds an identity. The set must not contain the identity yet. */
  add(words: Uint32Array, at: number): void {
    if ((this.#size + 1) * KEY_WORDS > this.#words.length) this.#grow();
    this.#words.set(words.subarray(at, at + KEY_WORDS), this.#size * KEY_WORDS);
    this.#size += 1;
    this.#slots[this.#find(words, at)] = this.#size;
  }

  commit(): void {
    this.#committed = this.#size;
  }

  rollBack(): void {
    if (this.#size === this.#committed) return;
    this.#size = this.#committed;
    this.#fillSlots();
  }

  #find(words: Uint32Array, at: number): number {
    const mask = this.#slots.length - 1;
    let slot = (words[at + 1] ?? 0) & mask;
    for (;;) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0 || sameKey(this.#words, (number - 1) * KEY_WORDS, words, at)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#fillSlots();
  }

  #fillSlots(): void {
    this.#slots.fill(0);
    for (let number = 0; number < this.#size; number += 1)
      this.#slots[this.#find(this.#words, number * KEY_WORDS)] = number + 1;
  }
}

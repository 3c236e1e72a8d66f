const FIRST_CAPACITY = 1024;

/** Bytes of an identity. */
export const KEY_BYTES = 16;

/** 32-bit words of an identity. In memory identities are concatenated in one array. */
export const KEY_WORDS = 4;

/** Returns the block, of 2 ** `bits` (0 to 31), that contains the identity at `at`. */
export function blockOf(words: Uint32Array, at: number, bits: number): number {
  return bits === 0 ? 0 : (words[at] ?? 0) >>> (32 - bits);
}

/** Returns whether two identities are equal. */
export function sameKey(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  return (
    a[atA] === b[atB] &&
    a[atA + 1] === b[atB + 1] &&
    a[atA + 2] === b[atB + 2] &&
    a[atA + 3] === b[atB + 3]
  );
}

/**
 * A set of identities in two flat arrays: the words in the order of arrival, and a table of open
 * addressing that points into them. A `Set` of strings would cost an object a key, several times
 * the memory and the time, and could not forget what a transaction brought by cutting off the end.
 */
export class RecentKeys {
  #words = new Uint32Array(FIRST_CAPACITY * KEY_WORDS);
  /** Number of the key plus one; 0 is free. At most half of the slots are taken. */
  #slots = new Int32Array(FIRST_CAPACITY * 2);
  #size = 0;
  #committed = 0;

  get size(): number {
    return this.#size;
  }

  /** All identities, side by side; valid until the next `add`. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#size * KEY_WORDS);
  }

  has(words: Uint32Array, at: number): boolean {
    return this.#slots[this.#find(words, at)] !== 0;
  }

  /** Adds an identity that is not in the set. */
  add(words: Uint32Array, at: number): void {
    if ((this.#size + 1) * KEY_WORDS > this.#words.length) this.#grow();
    this.#words.set(words.subarray(at, at + KEY_WORDS), this.#size * KEY_WORDS);
    this.#size += 1;
    this.#slots[this.#find(words, at)] = this.#size;
  }

  commit(): void {
    this.#committed = this.#size;
  }

  /** Forgets what came since the last `commit`. */
  rollBack(): void {
    if (this.#size === this.#committed) return;
    this.#size = this.#committed;
    this.#fillSlots();
  }

  /** The slot that holds the identity, or the free one where it would stand. */
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

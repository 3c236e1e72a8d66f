import { KEY_WORDS, sameKey } from './identity-key.ts';

const FIRST_CAPACITY = 1024;

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

const MIN_WORDS = 8;

/** A set of small integers, stored as one bit per integer. */
export class SlotSet {
  #bits: Uint32Array;

  /** @param capacity number of integers to allocate. */
  constructor(capacity: number) {
    this.#bits = new Uint32Array(Math.max(MIN_WORDS, (capacity + 31) >>> 5));
  }

  get byteLength(): number {
    return this.#bits.byteLength;
  }

  has(slot: number): boolean {
    return (((this.#bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  set(slot: number, isMember: boolean): void {
    const word = slot >>> 5;
    if (word >= this.#bits.length) {
      const bits = new Uint32Array(Math.ceil((word + 1) * 1.25));
      bits.set(this.#bits);
      this.#bits = bits;
    }
    const bit = 1 << (slot & 31);
    const before = this.#bits[word] ?? 0;
    this.#bits[word] = isMember ? before | bit : before & ~bit;
  }
}

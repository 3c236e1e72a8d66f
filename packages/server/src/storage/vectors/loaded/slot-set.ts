import type { DocumentItems, VisibleItems } from '../../in-memory/index.ts';

const MIN_WORDS = 8;

/** The documents of a scope, as one bit per slot. */
export class SlotSet implements VisibleItems<DocumentItems> {
  #bits: Uint32Array;

  /** @param capacity number of slots to allocate. */
  constructor(capacity: number) {
    this.#bits = new Uint32Array(Math.max(MIN_WORDS, (capacity + 31) >>> 5));
  }

  get bits(): Uint32Array {
    return this.#bits;
  }

  get byteLength(): number {
    return this.#bits.byteLength;
  }

  has(slot: number): boolean {
    return (((this.#bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  set({ first: slot }: DocumentItems, isMember: boolean): void {
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

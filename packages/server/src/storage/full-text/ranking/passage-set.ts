import { grown } from './grown.ts';

/** A set of passage ordinals, stored as one bit per ordinal. */
export class PassageSet {
  /** Ordinal `n` is bit `n & 31` of element `n >>> 5`. Ordinals beyond the end of the array are not in the set. */
  bits: Uint32Array;

  /** @param capacity number of ordinals to allocate. */
  constructor(capacity = 0) {
    this.bits = new Uint32Array((capacity + 31) >>> 5);
  }

  has(ordinal: number): boolean {
    return (((this.bits[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1;
  }

  addRange(first: number, end: number): void {
    const length = (end + 31) >>> 5;
    if (length > this.bits.length)
      this.bits = grown(this.bits, Math.max(length, this.bits.length * 1.25));
    for (let ordinal = first; ordinal < end; ordinal++) {
      const at = ordinal >>> 5;
      this.bits[at] = (this.bits[at] as number) | (1 << (ordinal & 31));
    }
  }

  deleteRange(first: number, end: number): void {
    for (let ordinal = first; ordinal < end; ordinal++) {
      const at = ordinal >>> 5;
      this.bits[at] = (this.bits[at] ?? 0) & ~(1 << (ordinal & 31));
    }
  }
}

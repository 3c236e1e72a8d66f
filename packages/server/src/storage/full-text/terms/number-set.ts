import { grown } from './grown.ts';

/** A set of numbers that count from 0, such as the numbers of passages. It stores one bit per number. */
export class NumberSet {
  /** Number `n` is bit `n & 31` of element `n >>> 5`. Numbers beyond the end of the array are not in the set. */
  bits: Uint32Array;

  /** @param capacity numbers below it need no further memory. */
  constructor(capacity: number) {
    this.bits = new Uint32Array((capacity + 31) >>> 5);
  }

  get byteLength(): number {
    return 4 * this.bits.length;
  }

  clear(): void {
    this.bits.fill(0);
  }

  has(number: number): boolean {
    return (((this.bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  }

  addRange(first: number, end: number): void {
    const length = (end + 31) >>> 5;
    if (length > this.bits.length)
      this.bits = grown(this.bits, Math.max(length, this.bits.length * 1.25));
    for (let number = first; number < end; number++) {
      const at = number >>> 5;
      this.bits[at] = (this.bits[at] as number) | (1 << (number & 31));
    }
  }

  deleteRange(first: number, end: number): void {
    for (let number = first; number < end; number++) {
      const at = number >>> 5;
      this.bits[at] = (this.bits[at] ?? 0) & ~(1 << (number & 31));
    }
  }
}

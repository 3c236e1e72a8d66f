/** Number of passages of a window. The arrays of a window fit into the cache of a core. */
export const WINDOW = 2 ** 14;

/** Arrays that all searches reuse. */
export class Scratch {
  // Arrays with one element per passage of a window. They are all zeros between windows.
  scores = new Float64Array(WINDOW);
  /** Number of required groups that each passage matches. */
  required = new Uint8Array(WINDOW);
  /** Sums of frequencies, for groups of several terms. */
  sums = new Uint32Array(WINDOW);
  // The contents of the next three arrays are undefined between windows.
  buffer = new Uint32Array(WINDOW);
  matched = new Uint32Array(WINDOW);
  candidates = new Uint32Array(WINDOW);
  /** Postings of the visible passages; see `KeptPostings`. */
  kept = new Uint32Array(0);
  /** One bit per passage of the index. All zeros between groups. */
  union = new Uint32Array(0);

  /** @param ordinals number of passages of the index. */
  reserve(ordinals: number): void {
    const words = (ordinals + 31) >>> 5;
    if (words <= this.union.length) return;
    this.union = new Uint32Array(Math.ceil(words * 1.25));
    this.kept = new Uint32Array(32 * this.union.length);
  }
}

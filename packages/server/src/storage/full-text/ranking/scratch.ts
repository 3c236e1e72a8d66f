/** Number of passages of a window. The arrays of a window fit into the cache of a core. */
export const WINDOW = 2 ** 14;

/** Default minimum length of `Scratch.kept`. The operating system provides memory only for the parts that searches write. */
const MIN_KEPT = 2 ** 23;

/**
 * Default number of terms after which further words of a query no longer match their other forms. A prefix can have a million terms, and each
 * costs up to half a microsecond.
 */
const MAX_TERMS = 1_500_000;

/** Arrays that all searches reuse, and the limit of their terms. */
export class Scratch {
  // Arrays with one element per passage of a window. They are all zeros between windows.
  scores = new Float64Array(0);
  /** Number of required groups that each passage matches. */
  required = new Uint8Array(0);
  /** Sums of frequencies, for groups of several terms. */
  sums = new Uint32Array(0);
  // The contents of the next three arrays, which have the same length, are undefined between windows.
  buffer = new Uint32Array(0);
  matched = new Uint32Array(0);
  candidates = new Uint32Array(0);
  /** Postings of the visible passages; see `KeptPostings`. */
  kept = new Uint32Array(0);
  /** One bit per passage of the index. All zeros between groups. */
  union = new Uint32Array(0);
  /** See `TermCollector.isExhausted`. */
  readonly maxTerms: number;
  readonly #minKept: number;

  /** @param minKept minimum length of `kept`, which always has room for one posting per passage. */
  constructor(minKept = MIN_KEPT, maxTerms = MAX_TERMS) {
    this.#minKept = minKept;
    this.maxTerms = maxTerms;
  }

  /**
   * @param window number of passages of a window.
   * @param ordinals number of passages of the index.
   */
  reserve(window: number, ordinals: number): void {
    if (window > this.scores.length) {
      this.scores = new Float64Array(window);
      this.required = new Uint8Array(window);
      this.sums = new Uint32Array(window);
      this.buffer = new Uint32Array(window);
      this.matched = new Uint32Array(window);
      this.candidates = new Uint32Array(window);
    }
    const words = (ordinals + 31) >>> 5;
    if (words <= this.union.length) return;
    this.union = new Uint32Array(Math.ceil(words * 1.25));
    this.kept = new Uint32Array(Math.max(this.#minKept, 32 * this.union.length));
  }
}

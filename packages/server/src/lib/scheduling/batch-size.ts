const FIRST = 8;
const MAX = 256;
/** Target duration of a batch in milliseconds. */
const TARGET_MS = 2;

/** The number of items to process together. Adapts to the measured duration of the preceding batches. */
export class BatchSize {
  #size = FIRST;

  get size(): number {
    return this.#size;
  }

  /** @param ms duration of the last batch. */
  finished(ms: number): void {
    if (ms < TARGET_MS / 2) this.#size = Math.min(2 * this.#size, MAX);
    else if (ms > TARGET_MS) this.#size = Math.max(1, this.#size >>> 1);
  }

  /** Returns `false` if the batch consisted of a single item, so the next batch cannot be smaller. */
  reduce(): boolean {
    const isSmallest = this.#size === 1;
    this.#size = Math.max(1, this.#size >>> 3);
    return !isSmallest;
  }
}

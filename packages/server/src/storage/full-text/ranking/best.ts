import type { TermIndex } from '../terms/index.ts';

export interface RankedOrdinal {
  readonly ordinal: number;
  readonly score: number;
}

const MIN_BUFFER = 256;

/**
 * Collects the best passages. Passages with equal scores are ordered by document number and position. Sorts only when the buffer is
 * full, so the amortised time per passage is constant.
 */
export class Best {
  readonly #index: TermIndex;
  readonly #limit: number;
  readonly #capacity: number;
  #buffer: RankedOrdinal[] = [];
  /** Score below which a passage cannot be among the best. 0 until the buffer is full for the first time. */
  threshold = 0;

  constructor(index: TermIndex, limit: number) {
    this.#index = index;
    this.#limit = limit;
    this.#capacity = Math.max(2 * limit, MIN_BUFFER);
  }

  add(ordinal: number, score: number): void {
    if (score < this.threshold) return;
    this.#buffer.push({ ordinal, score });
    if (this.#buffer.length < this.#capacity) return;
    this.#buffer = this.sorted();
    this.threshold = this.#buffer.at(-1)?.score ?? 0;
  }

  sorted(): RankedOrdinal[] {
    return this.#buffer.sort((one, other) => this.#compare(one, other)).slice(0, this.#limit);
  }

  #compare(one: RankedOrdinal, other: RankedOrdinal): number {
    if (one.score !== other.score) return other.score - one.score;
    const difference =
      this.#index.documentOf(one.ordinal).number - this.#index.documentOf(other.ordinal).number;
    // Within a document, ordinals follow positions.
    return difference !== 0 ? difference : one.ordinal - other.ordinal;
  }
}

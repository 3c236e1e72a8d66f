import { afterLast, MAX_ORDINALS, type PostingsCursor, type TermIndex } from '../terms/index.ts';
import type { ScoredGroup } from './scored-groups.ts';
import type { Scratch } from './scratch.ts';
import type { VisiblePassages } from './visible-passages.ts';

/** The postings of a group in visible passages, which are read window by window. */
export class GroupPostings {
  readonly group: ScoredGroup;
  readonly #index: TermIndex;
  readonly #visible: VisiblePassages;
  readonly #kept: Uint32Array;
  readonly #buffer: Uint32Array;
  readonly #cursor: PostingsCursor;
  /** Start of the unread postings of each list in `#kept`. */
  readonly #unread: Uint32Array;

  constructor(
    index: TermIndex,
    visible: VisiblePassages,
    group: ScoredGroup,
    { kept, buffer }: Scratch,
  ) {
    this.group = group;
    this.#index = index;
    this.#visible = visible;
    this.#kept = kept;
    this.#buffer = buffer;
    this.#cursor = index.postings.cursor();
    this.#unread = Uint32Array.from(group.lists, ({ list }) => list.start ?? 0);
  }

  /**
   * Reads the postings of a list in a window, after those of the previous windows. If the list was not kept, the window must be the whole index.
   *
   * @param end ordinal after the last passage of the window.
   * @param use receives parts of the postings: the elements of `array` from `start` to `stop`, which are valid during the call.
   */
  read(
    at: number,
    end: number,
    use: (array: Uint32Array, start: number, stop: number) => void,
  ): void {
    const { list } = this.group.lists[at] as ScoredGroup['lists'][number];
    if (list.start !== null) {
      const start = this.#unread[at] as number;
      const stop = firstFrom(this.#kept, start, list.end, afterLast(end));
      this.#unread[at] = stop;
      use(this.#kept, start, stop);
      return;
    }
    for (const term of list.terms) {
      if (this.#visible.isHidden(term)) continue;
      this.#index.postings.seek(this.#cursor, term);
      const length = this.#cursor.read(MAX_ORDINALS, this.#buffer);
      use(this.#buffer, 0, this.#visible.keep(this.#buffer, 0, length));
    }
  }
}

/** Returns the index of the first element from `start` to `end` that is not less than the limit, or `end`. All smaller elements come first. */
function firstFrom(sorted: Uint32Array, start: number, end: number, limit: number): number {
  let low = start;
  let step = 1;
  while (low + step <= end && (sorted[low + step - 1] as number) < limit) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

import { afterLast, type PostingsCursor, type TermIndex } from '../terms/index.ts';
import type { KeptList, ScoredGroup } from './scored-groups.ts';
import type { Scratch } from './scratch.ts';
import type { VisiblePassages } from './visible-passages.ts';

/** The postings of a group in visible passages, which are read window by window. */
export class GroupPostings {
  readonly group: ScoredGroup;
  /** The postings of the last call of `read` are the elements from `start` to `end` of this array. */
  array: Uint32Array;
  start = 0;
  end = 0;
  readonly #visible: VisiblePassages;
  readonly #kept: Uint32Array;
  readonly #buffer: Uint32Array;
  /** Start of the unread postings of each list in `#kept`. */
  readonly #unread: Uint32Array;
  readonly #cursors: readonly (PostingsCursor | null)[];

  constructor(
    index: TermIndex,
    visible: VisiblePassages,
    group: ScoredGroup,
    { kept, buffer }: Scratch,
  ) {
    const { postings } = index;
    this.group = group;
    this.array = kept;
    this.#visible = visible;
    this.#kept = kept;
    this.#buffer = buffer;
    this.#unread = Uint32Array.from(group.lists, ({ start }) => start ?? 0);
    this.#cursors = group.lists.map((list) =>
      list.start === null ? postings.seek(postings.cursor(), list.term) : null,
    );
  }

  /**
   * Reads the postings of a list in passages before `end`, after those of the previous call for the list.
   *
   * @param end the end of a window.
   */
  read(at: number, end: number): void {
    const cursor = this.#cursors[at] as PostingsCursor | null;
    if (cursor === null) {
      const list = this.group.lists[at] as KeptList;
      this.array = this.#kept;
      this.start = this.#unread[at] as number;
      this.end = firstFrom(this.#kept, this.start, list.end, afterLast(end));
      this.#unread[at] = this.end;
    } else {
      this.array = this.#buffer;
      this.start = 0;
      this.end = this.#visible.keep(this.#buffer, 0, cursor.read(end, this.#buffer));
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

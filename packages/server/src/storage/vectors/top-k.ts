interface Scored {
  readonly score: number;
}

/** Keeps the k items with the highest scores, in a heap whose root is the lowest-ranked item. The order of `add` calls does not matter. */
export class TopK<T extends Scored> {
  readonly #count: number;
  readonly #tieBreak: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  /**
   * @param count maximum number of items.
   * @param tieBreak order of items with equal scores. Negative if `a` precedes `b`, and zero only for the same item.
   */
  constructor(count: number, tieBreak: (a: T, b: T) => number) {
    this.#count = count;
    this.#tieBreak = tieBreak;
  }

  /** Returns `false` if an item with this score would be discarded. */
  accepts(score: number): boolean {
    const last = this.#heap[0];
    return last === undefined || this.#heap.length < this.#count || score >= last.score;
  }

  add(item: T): void {
    const last = this.#heap[0];
    if (this.#heap.length < this.#count) this.#rise(this.#heap.push(item) - 1);
    else if (last !== undefined && this.#compare(item, last) < 0) {
      this.#heap[0] = item;
      this.#sink(0);
    }
  }

  /** Returns the items, best first. */
  sorted(): T[] {
    return this.#heap.toSorted((a, b) => this.#compare(a, b));
  }

  #compare(a: T, b: T): number {
    return b.score - a.score || this.#tieBreak(a, b);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isAfter(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = this.#isAfter(right, left) ? right : left;
      if (!this.#isAfter(child, at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  /** Reports whether the item at index `a` exists and follows the item at index `b`. */
  #isAfter(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    return one !== undefined && other !== undefined && this.#compare(one, other) > 0;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}

interface Scored {
  readonly score: number;
}

/** The k items with the highest scores, in a heap whose root has the lowest. Of equal items the first ones stay. */
export class TopK<T extends Scored> {
  readonly #count: number;
  readonly #heap: T[] = [];

  /** @param count the number of items to keep. */
  constructor(count: number) {
    this.#count = count;
  }

  /** Returns whether an item with this score would be kept. */
  accepts(score: number): boolean {
    const worst = this.#heap[0];
    return worst === undefined || this.#heap.length < this.#count || score > worst.score;
  }

  add(one: T): void {
    if (!this.accepts(one.score)) return;
    if (this.#heap.length < this.#count) this.#rise(this.#heap.push(one) - 1);
    else {
      this.#heap[0] = one;
      this.#sink(0);
    }
  }

  /** TopK first. */
  sorted(): T[] {
    return this.#heap.toSorted((a, b) => b.score - a.score);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#scoreAt(parent) <= this.#scoreAt(at)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = this.#scoreAt(right) < this.#scoreAt(left) ? right : left;
      if (this.#scoreAt(child) >= this.#scoreAt(at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #scoreAt(at: number): number {
    return this.#heap[at]?.score ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}

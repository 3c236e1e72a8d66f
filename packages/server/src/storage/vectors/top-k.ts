interface Scored {
  readonly score: number;
}

/** Keeps the k items with the highest scores, in a min-heap. Among items with equal scores, the items added first are kept. */
export class TopK<T extends Scored> {
  readonly #count: number;
  readonly #heap: T[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  accepts(score: number): boolean {
    const worst = this.#heap[0];
    return worst === undefined || this.#heap.length < this.#count || score > worst.score;
  }

  add(item: T): void {
    if (!this.accepts(item.score)) return;
    if (this.#heap.length < this.#count) this.#rise(this.#heap.push(item) - 1);
    else {
      this.#heap[0] = item;
      this.#sink(0);
    }
  }

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

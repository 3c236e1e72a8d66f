/** A queue with a FIFO list per key. Items are taken from the keys in round-robin order. */
export class FairQueue<Item> {
  readonly #waiting = new Map<string, Item[]>();

  lengthOf(key: string): number {
    return this.#waiting.get(key)?.length ?? 0;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(key: string, item: Item): void {
    const own = this.#waiting.get(key);
    if (own === undefined) this.#waiting.set(key, [item]);
    else own.push(item);
  }

  /** Removes and returns the next item, or undefined if the queue is empty. */
  take(): Item | undefined {
    const next = this.#waiting.entries().next();
    if (next.done === true) return undefined;
    const [key, own] = next.value;
    const item = own.shift();
    this.#waiting.delete(key);
    if (own.length > 0) this.#waiting.set(key, own);
    return item;
  }

  remove(key: string, item: Item): boolean {
    const own = this.#waiting.get(key) ?? [];
    const place = own.indexOf(item);
    if (place === -1) return false;
    own.splice(place, 1);
    if (own.length === 0) this.#waiting.delete(key);
    return true;
  }

  takeAll(): Item[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return all;
  }
}

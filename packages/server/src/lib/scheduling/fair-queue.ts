/** Waiting work, taken in turn from each of those it is for, so that nobody's many delay another's one. */
export class FairQueue<Item> {
  /** In the order of their turns; a Map keeps that of insertion. */
  readonly #waiting = new Map<string, Item[]>();

  /** How much waits for one. */
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

  /** The first item of whose turn it is; they go to the end of the line. */
  take(): Item | undefined {
    const next = this.#waiting.entries().next();
    if (next.done === true) return undefined;
    const [key, own] = next.value;
    const item = own.shift();
    this.#waiting.delete(key);
    if (own.length > 0) this.#waiting.set(key, own);
    return item;
  }

  /** Takes out what need not be done any more; false when it does not wait here. */
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

/**
 * Remembers nothing: whoever asks gets what a read gives that began after they asked, and those who ask while
 * one is under way share the next. So a change is seen by whatever comes after it, wherever it was made, and a busy
 * key costs one read at a time.
 */
export class SharedReads<Value> {
  readonly #underWay = new Map<string, Promise<Value | null>>();
  readonly #next = new Map<string, Promise<Value | null>>();

  /** What `read` gives, or another's read of the same key. */
  get(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const next = this.#next.get(key);
    if (next !== undefined) return next;
    const before = this.#underWay.get(key);
    if (before === undefined) return this.#begin(key, read);
    const after = before
      .catch(() => {})
      .then(() => {
        this.#next.delete(key);
        return this.#begin(key, read);
      });
    this.#next.set(key, after);
    return after;
  }

  /** There is nothing to forget. */
  forget(): void {}

  #begin(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const reading = read().finally(() => {
      if (this.#underWay.get(key) === reading) this.#underWay.delete(key);
    });
    this.#underWay.set(key, reading);
    return reading;
  }
}

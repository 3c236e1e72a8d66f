/**
 * Deduplicates concurrent reads without caching. Each caller gets the result of a read that started after its call, so
 * the result includes every change that any process made before the call. Callers that arrive during a read share the
 * next read.
 */
export class SharedReads<Value> {
  readonly #current = new Map<string, Promise<Value | null>>();
  readonly #next = new Map<string, Promise<Value | null>>();

  get(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const next = this.#next.get(key);
    if (next !== undefined) return next;
    const current = this.#current.get(key);
    if (current === undefined) return this.#start(key, read);
    const after = current
      .catch(() => {})
      .then(() => {
        this.#next.delete(key);
        return this.#start(key, read);
      });
    this.#next.set(key, after);
    return after;
  }

  /** Does nothing. Gives this class the same interface as `ShortCache`. */
  forget(): void {}

  #start(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const reading = read().finally(() => {
      if (this.#current.get(key) === reading) this.#current.delete(key);
    });
    this.#current.set(key, reading);
    return reading;
  }
}

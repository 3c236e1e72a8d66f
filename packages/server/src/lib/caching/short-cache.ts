interface Entry<Value> {
  readonly value: Value;
  /** Milliseconds, of a clock that only goes forward. */
  readonly readAt: number;
}

export interface ShortCacheOptions {
  /** Milliseconds after which a value is read again. */
  readonly maxAge: number;
  /** How many values are kept; the oldest leaves first. */
  readonly maxSize: number;
  /** Milliseconds, of a clock that only goes forward; the process's own by default. */
  readonly now?: () => number;
}

/**
 * Remembers what was read for so short a time that a change made elsewhere is seen almost at once;
 * `forget` is for changes made here. Values that are not found are not remembered.
 */
export class ShortCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #maxAge: number;
  readonly #maxSize: number;
  readonly #now: () => number;
  #generation = 0;

  constructor(options: ShortCacheOptions) {
    this.#maxAge = options.maxAge;
    this.#maxSize = options.maxSize;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The remembered value, or the one that `read` gives. */
  async get(key: string, read: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.#entries.get(key);
    const now = this.#now();
    if (known !== undefined && now - known.readAt < this.#maxAge) return known.value;
    const generation = this.#generation;
    const value = await read();
    this.#entries.delete(key);
    // Read before a `forget` and come back after it: it may be what had to be forgotten.
    if (value === null || generation !== this.#generation) return value;
    this.#entries.set(key, { value, readAt: now });
    if (this.#entries.size > this.#maxSize) this.#dropOldest();
    return value;
  }

  /** Forgets everything. Changes are rare and a value is soon read again, so no finer choice is needed. */
  forget(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  #dropOldest(): void {
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }
}

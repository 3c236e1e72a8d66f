/** Counts of numbered events. The ID of an event is its number, from 0. A count is at most 255. */
export class Tally {
  #counts = new Uint8Array(65_536);

  /** Adds one to the count of an event. Ignores IDs that are not numbers. */
  add(id: unknown): void {
    const number = Number(id);
    if (!Number.isSafeInteger(number) || number < 0) return;
    if (number >= this.#counts.length) {
      const larger = new Uint8Array(Math.max(number + 1, this.#counts.length * 2));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    this.#counts[number] = Math.min(255, this.count(number) + 1);
  }

  count(number: number): number {
    return this.#counts[number] ?? 0;
  }
}

/** The events that the soak has sent to a space, with their types. */
export class SentEvents {
  readonly #types: string[] = [];
  readonly #acknowledged = new Tally();

  get sent(): number {
    return this.#types.length;
  }

  /** Returns the ID of a new event. */
  next(type: string): string {
    return String(this.#types.push(type) - 1);
  }

  acknowledge(ids: readonly string[]): void {
    for (const id of ids) this.#acknowledged.add(id);
  }

  /** Returns the numbers of the acknowledged events, by default of all types. */
  *acknowledged(type?: string): Generator<number> {
    for (const [number, own] of this.#types.entries())
      if (this.#acknowledged.count(number) > 0 && (type === undefined || type === own))
        yield number;
  }

  /** Returns the number of acknowledged events that `tally` lacks. */
  missing(tally: Tally, type?: string): number {
    let missing = 0;
    for (const number of this.acknowledged(type)) if (tally.count(number) === 0) missing += 1;
    return missing;
  }

  /** Returns the number of acknowledged events that `tally` contains more than once. */
  repeated(tally: Tally): number {
    let repeated = 0;
    for (const number of this.acknowledged()) if (tally.count(number) > 1) repeated += 1;
    return repeated;
  }
}

/** What must never be printed, and here never be kept in plain either, each by a name for the report. */
export class Secrets {
  readonly #values = new Map<string, string>();

  /** Remembers a secret and gives it back. */
  add(name: string, value: string): string {
    if (value.length < 8) throw new Error(`${name} is too short to be looked for: ${value}`);
    this.#values.set(`${name} ${this.#values.size}`, value);
    return value;
  }

  /**
   * The names of the secrets that a text holds, whole or cut off: 16 characters in a row from either
   * end of a long one give it away, too.
   */
  foundIn(text: string): string[] {
    return [...this.#values]
      .filter(([, value]) =>
        [value.slice(0, 16), value.slice(-16)].some((part) => text.includes(part)),
      )
      .map(([name]) => name);
  }

  get size(): number {
    return this.#values.size;
  }
}

/** A collection of named secrets that can be searched for in texts. */
export class Secrets {
  readonly #values = new Map<string, string>();

  add(name: string, value: string): string {
    if (value.length < 8) throw new Error(`${name} is too short to search for: ${value}`);
    this.#values.set(`${name} ${this.#values.size}`, value);
    return value;
  }

  /**
   * Returns the names of the secrets that a text reveals. A text reveals a secret if it contains the first or last 16
   * characters of the secret.
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

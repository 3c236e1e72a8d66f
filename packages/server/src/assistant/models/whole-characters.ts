const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Holds back the first half of a character until its second half comes, and replaces what is no text. */
export class WholeCharacters {
  #half = '';

  /** The text that can go on; may be empty. */
  take(text: string): string {
    const all = this.#half + text;
    this.#half = HIGH_SURROGATE.exec(all)?.[0] ?? '';
    return all
      .slice(0, all.length - this.#half.length)
      .toWellFormed()
      .replaceAll('\0', '\ufffd');
  }
}

/**
 * What was typed and not sent, over a reload of the tab. Browsers may deny storage to framed pages by
 * throwing, and then there is no draft.
 */
export class Draft {
  readonly #key: string;
  /** Whether anything may be stored; asked each time. */
  readonly #isAllowed: () => boolean;

  constructor(key: string, isAllowed: () => boolean) {
    this.#key = `gatehouse-draft:${key}`;
    this.#isAllowed = isAllowed;
  }

  read(): string {
    try {
      return (this.#isAllowed() && sessionStorage.getItem(this.#key)) || '';
    } catch {
      return '';
    }
  }

  keep(text: string): void {
    try {
      if (text !== '' && this.#isAllowed()) sessionStorage.setItem(this.#key, text);
      else sessionStorage.removeItem(this.#key);
    } catch {
      // There is none, or it is full.
    }
  }
}

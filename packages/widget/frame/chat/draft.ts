/**
 * The text in the composer. It survives a notice that replaces the conversation, and a reload of the tab if
 * `sessionStorage` is available. Browsers can deny storage to framed pages by throwing. Each space has one
 * entry, so a draft of another person is overwritten.
 */
export class Draft {
  /** Reports whether the link permits storing the draft. */
  readonly #isAllowed: () => boolean;
  #key = '';
  #person = '';
  #text = '';

  constructor(isAllowed: () => boolean) {
    this.#isAllowed = isAllowed;
  }

  /** Sets the owner of the draft. Deletes the draft of any other person. */
  setOwner(spaceId: string, person: string): void {
    this.#key = `gatehouse-draft:${spaceId}`;
    this.#person = person;
    this.write(this.#stored());
  }

  read(): string {
    return this.#text;
  }

  write(text: string): void {
    this.#text = text;
    try {
      if (text !== '' && this.#isAllowed())
        sessionStorage.setItem(this.#key, JSON.stringify([this.#person, text]));
      else sessionStorage.removeItem(this.#key);
    } catch {
      // Storage is denied or full.
    }
  }

  #stored(): string {
    try {
      const [person, text] = JSON.parse(sessionStorage.getItem(this.#key) ?? '[]');
      return person === this.#person && this.#isAllowed() ? text : '';
    } catch {
      return '';
    }
  }
}

/**
 * What was typed and not sent. It stays when the talk gives way to a notice, and in `sessionStorage` over a
 * reload of the tab. A space has one there, so that a person's goes when another one comes. Browsers may deny
 * storage to framed pages by throwing, and then a reload loses it.
 */
export class Draft {
  /** Whether anything may be stored; asked each time. */
  readonly #isAllowed: () => boolean;
  #key = '';
  #person = '';
  #text = '';

  constructor(isAllowed: () => boolean) {
    this.#isAllowed = isAllowed;
  }

  /** Whose it is from now on. What another one typed is forgotten. */
  belongTo(spaceId: string, person: string): void {
    this.#key = `gatehouse-draft:${spaceId}`;
    this.#person = person;
    this.keep(this.#stored());
  }

  read(): string {
    return this.#text;
  }

  keep(text: string): void {
    this.#text = text;
    try {
      if (text !== '' && this.#isAllowed())
        sessionStorage.setItem(this.#key, JSON.stringify([this.#person, text]));
      else sessionStorage.removeItem(this.#key);
    } catch {
      // There is none, or it is full.
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

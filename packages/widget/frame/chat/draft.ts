import { signal } from '@preact/signals';

/**
 * The text in the composer. The text outlives the component, and survives a reload of the tab if `sessionStorage` is
 * available. Access to storage throws in a frame if the browser blocks third-party storage. Each space has one entry,
 * so one person's draft overwrites another person's draft.
 */
export class Draft {
  readonly text = signal('');
  /** A question that waits for its files. Stored in front of the text, because it is not sent yet. */
  waiting = '';
  readonly #isAllowed: () => boolean;
  #key = '';
  #person = '';

  constructor(isAllowed: () => boolean) {
    this.#isAllowed = isAllowed;
  }

  /** Sets the owner of the draft and deletes the draft of any other person. */
  setOwner(spaceId: string, person: string): void {
    this.#key = `gatehouse-draft:${spaceId}`;
    this.#person = person;
    this.waiting = '';
    this.write(this.#stored());
  }

  write(text: string): void {
    this.text.value = text;
    try {
      const unsent = `${this.waiting}\n${text}`.trim();
      if (unsent !== '' && this.#isAllowed())
        sessionStorage.setItem(this.#key, JSON.stringify([this.#person, unsent]));
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

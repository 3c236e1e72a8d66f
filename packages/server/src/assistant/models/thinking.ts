const OPENING = '<think>';
const CLOSING = '</think>';

/** Tells what a model thinks from what it says, where its server leaves both in one text. */
export class Thinking {
  /** Of which part of the text the unread beginning is. */
  #inside = false;
  #said = false;
  #goesOn = false;
  #unread = '';

  /** What is said up to here; what may be the beginning of a tag is held back. */
  read(text: string): string {
    let said = '';
    this.#unread += text;
    for (;;) {
      const tag = this.#inside ? CLOSING : OPENING;
      const at = this.#unread.indexOf(tag);
      if (at === -1) return said + this.#take(this.#unread.length - heldBack(this.#unread, tag));
      said += this.#take(at);
      this.#unread = this.#unread.slice(tag.length);
      this.#inside = !this.#inside;
      this.#goesOn = this.#said;
    }
  }

  /** What is still held back at the end. */
  end(): string {
    return this.#take(this.#unread.length);
  }

  #take(length: number): string {
    const text = this.#unread.slice(0, length);
    this.#unread = this.#unread.slice(length);
    if (text === '' || this.#inside) return '';
    // What comes after a thought is another paragraph.
    const spaced = this.#goesOn ? `\n${text}` : text;
    this.#said = true;
    this.#goesOn = false;
    return spaced;
  }
}

/** How much of the end of a text may be the beginning of a tag. */
function heldBack(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}

/** Number of pieces that are joined at once. */
const JOINED_PIECES = 32;

/**
 * Text that grows by many short pieces, such as the parts of an answer. With `+=`, V8 keeps each piece and a node that links it to the
 * text before it. They take several times as much memory as the text itself.
 */
export class GrowingText {
  #text = '';
  #pieces: string[] = [];

  /** In UTF-16 code units. */
  length = 0;

  add(piece: string): void {
    this.length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length === JOINED_PIECES) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#pieces.join('');
    this.#pieces = [];
  }
}

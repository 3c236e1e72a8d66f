/** A piece of a response. */
export interface TextPiece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Separates the reasoning that some models write between `<think>` and `</think>` from their text. Holds back only what may be the
 * start of a tag. Texts on both sides of a reasoning are joined with a line feed, and so are two reasonings.
 */
export class ThinkTags {
  /** The end of the text so far, if it may be the start of a tag. */
  #held = '';
  #type: TextPiece['type'] = 'text';
  #hasSwitched = false;
  readonly #seen = new Set<TextPiece['type']>();

  *take(text: string): Generator<TextPiece> {
    let rest = this.#held + text;
    for (;;) {
      const tag = this.#type === 'text' ? OPENING : CLOSING;
      const start = startOf(rest, tag);
      yield* this.#publish(rest.slice(0, start));
      rest = rest.slice(start);
      if (!rest.startsWith(tag)) break;
      rest = rest.slice(tag.length);
      this.#type = this.#type === 'text' ? 'reasoning' : 'text';
      this.#hasSwitched = true;
    }
    this.#held = rest;
  }

  /** Returns what was held back, because the text has ended. */
  *end(): Generator<TextPiece> {
    const held = this.#held;
    this.#held = '';
    yield* this.#publish(held);
  }

  *#publish(text: string): Generator<TextPiece> {
    if (text === '') return;
    const type = this.#type;
    yield { type, text: this.#hasSwitched && this.#seen.has(type) ? `\n${text}` : text };
    this.#seen.add(type);
    this.#hasSwitched = false;
  }
}

/** Returns the position of the tag or of the beginning of a tag at the end of the text, or the length of the text. */
function startOf(text: string, tag: string): number {
  const whole = text.indexOf(tag);
  if (whole !== -1) return whole;
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(tag.slice(0, length))) return text.length - length;
  return text.length;
}

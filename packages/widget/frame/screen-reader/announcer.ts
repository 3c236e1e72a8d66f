import type { Strings } from '../translations/strings.ts';
import { type Piece, PlainTextExtractor } from './plain-text.ts';
import { createSentenceSplitter, type SplitSentences } from './sentences.ts';

/** Splits one growing answer into complete sentences for a screen reader. */
export class Announcer {
  readonly #extractor: PlainTextExtractor;
  readonly #split: SplitSentences;
  #length = 0;
  /** The text of the current block that has not been returned yet. */
  #block = '';

  /** @param locale BCP 47 tag. Selects the rules for splitting sentences. */
  constructor({ code }: Pick<Strings, 'code'>, locale: string) {
    this.#extractor = new PlainTextExtractor(code);
    this.#split = createSentenceSplitter(locale);
  }

  /**
   * Returns the sentences that have become complete, as plain text without citations.
   *
   * @param text the whole answer so far, as Markdown. Must start with the text of the previous call.
   */
  push(text: string): string[] {
    const more = text.slice(this.#length);
    this.#length = Math.max(this.#length, text.length);
    return this.#sentences(this.#extractor.push(more));
  }

  /** Returns the remaining sentences when the answer is complete. */
  end(): string[] {
    return this.#sentences(this.#extractor.end());
  }

  #sentences(pieces: readonly Piece[]): string[] {
    const complete: string[] = [];
    for (const piece of pieces) {
      if (piece !== 'end of block') this.#block += piece.text;
      else {
        complete.push(...this.#split(this.#block));
        this.#block = '';
      }
    }
    const sentences = this.#split(this.#block);
    this.#block = sentences.pop() ?? '';
    complete.push(...sentences);
    return complete.map(tidy).filter((text) => /[\p{L}\p{N}]/u.test(text));
  }
}

/**
 * Removes spaces before punctuation. Such spaces remain where citations were removed, and screen readers would then
 * pronounce the punctuation.
 */
function tidy(text: string): string {
  return text.replace(/ +(?=[.,])/g, '').trim();
}

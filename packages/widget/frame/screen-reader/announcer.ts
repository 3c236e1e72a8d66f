import type { Words } from '../translations/strings.ts';
import { type Piece, PlainTextReader } from './plain-text.ts';
import { createSentenceSplitter, type SplitSentences } from './sentences.ts';

/** Turns an answer that grows into sentences that can be read out. One for each answer. */
export interface Announcer {
  /**
   * The sentences that are complete now and were not before: no marks, no citations, links by their text.
   * @param text all of the answer so far, as Markdown; it begins with what was given before.
   */
  hear(text: string): string[];
  /** What is left when nothing more comes. */
  end(): string[];
}

/** @param locale BCP 47: whose sentences they are. */
export function createAnnouncer(words: Pick<Words, 'code'>, locale: string): Announcer {
  return new SentenceAnnouncer(new PlainTextReader(words.code), createSentenceSplitter(locale));
}

class SentenceAnnouncer implements Announcer {
  readonly #reader: PlainTextReader;
  readonly #split: SplitSentences;
  #heard = 0;
  /** Of the block that is coming, what was not given yet. */
  #block = '';

  constructor(reader: PlainTextReader, split: SplitSentences) {
    this.#reader = reader;
    this.#split = split;
  }

  hear(text: string): string[] {
    const more = text.slice(this.#heard);
    this.#heard = Math.max(this.#heard, text.length);
    return this.#sentences(this.#reader.read(more));
  }

  end(): string[] {
    return this.#sentences(this.#reader.end());
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

/** Without the gaps that citations leave before a mark, which would be read out as one. */
function tidy(text: string): string {
  return text.replace(/ +(?=[.,])/g, '').trim();
}

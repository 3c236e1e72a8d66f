import { ExtractionError, formatNumber } from '../extraction-error.ts';
import type { Passage } from '../extractor.ts';
import { MAX_PASSAGES, MAX_TEXT } from '../limits.ts';
import { type Block, type TextBlock, toTextBlock } from './block.ts';
import { cutAtSpaces, sizeOf } from './cut-at-spaces.ts';
import { normaliseLine } from './normalise.ts';

/** Maximum size of a passage. All sizes are measured with `sizeOf`. */
export const MAX_SIZE = 1200;
/** Passages of a split block are filled up to this size. */
const TARGET_SIZE = 1000;
/** No further block is added to a passage of at least this size. */
const FULL_SIZE = 800;
/** A smaller passage, such as the line that introduces a list, is never separated from the next block. */
const MIN_SIZE = 200;
/** Maximum size of a sentence that is repeated after a split. */
const MAX_OVERLAP = 150;
/** Maximum length of a heading. A longer heading is truncated in the heading path, and its full text becomes a paragraph. */
const MAX_HEADING = 200;
/** Longer text is processed in pieces to save memory, because a whole file may be one paragraph. */
const MAX_TEXT_PER_STEP = 100_000;

interface Heading {
  readonly level: number;
  readonly text: string;
}

/**
 * Builds passages from blocks. A heading starts a new passage. Blocks are joined until a passage is large enough. A block that
 * does not fit goes into the next passage. Only a block larger than a passage is split.
 *
 * Passages overlap only where a paragraph was split. The sentences of a paragraph depend on each other, so the last sentence
 * before the split, if short, is repeated in the next passage. Other overlaps would only cause duplicate search results.
 */
export class PassageBuilder {
  readonly #passages: Passage[] = [];
  #path: Heading[] = [];
  #heading: readonly string[] = [];
  /** `true` if the last heading has no text yet. */
  #isHeadingEmpty = false;
  #text = '';
  #size = 0;
  #total = 0;
  #previous: TextBlock | null = null;

  /** @throws ExtractionError `too-large` if the text or the number of passages exceeds its limit. */
  readonly add = (block: Block): void => {
    if (block.kind === 'heading') this.#startHeading(block.level, block.text);
    else if (block.kind === 'page') this.#startPage(block.number);
    else if ('text' in block && block.text.length > MAX_TEXT_PER_STEP) {
      for (const text of cutAtSpaces(block.text, MAX_TEXT_PER_STEP)) this.add({ ...block, text });
    } else {
      const text = toTextBlock(block);
      if (text !== null) this.#addText(text);
    }
  };

  /** Returns all passages. Do not add blocks afterwards. */
  finish(): readonly Passage[] {
    this.#close(0);
    return this.#passages;
  }

  #startHeading(level: number, text: string): void {
    const line = normaliseLine(text);
    if (line === '') return;
    this.#close(level);
    const long = line.length > MAX_HEADING;
    const short = long ? `${line.slice(0, MAX_HEADING).toWellFormed()}…` : line;
    this.#path = [...this.#path.filter((heading) => heading.level < level), { level, text: short }];
    this.#heading = this.#path.map((heading) => heading.text);
    this.#isHeadingEmpty = true;
    if (long) this.add({ kind: 'paragraph', text });
  }

  #startPage(page: number): void {
    this.#emit();
    this.#heading = [`Page ${page}`];
  }

  /** Ends the current passage. A heading without text becomes a passage, so that searches can find it. */
  #close(nextLevel: number): void {
    this.#emit();
    const last = this.#path.at(-1);
    if (this.#isHeadingEmpty && last !== undefined && nextLevel <= last.level) {
      this.#append(last.text);
      this.#emit();
    }
    this.#isHeadingEmpty = false;
  }

  #addText(block: TextBlock): void {
    const { text } = block;
    this.#count(text.length);
    const separator = block.compact && this.#previous?.compact ? '\n' : '\n\n';
    // The size of a text is at least its length, so the size of a very long text need not be measured.
    const size = text.length > MAX_SIZE ? Number.POSITIVE_INFINITY : sizeOf(text);
    if (this.#size >= FULL_SIZE) this.#emit();
    if (this.#size + separator.length + size <= MAX_SIZE) {
      this.#append(text, separator, size);
    } else if (size <= MAX_SIZE && this.#size >= MIN_SIZE) {
      this.#emit();
      this.#append(text, '', size);
    } else {
      this.#split(block, separator);
    }
    this.#previous = block;
  }

  #split(block: TextBlock, separator: string): void {
    let before = separator;
    let last = '';
    for (const piece of block.split(MAX_SIZE)) {
      const size = sizeOf(piece);
      if (this.#size > 0 && this.#size + before.length + size > TARGET_SIZE) {
        this.#emit();
        const overlap = block.overlap ? sizeOf(last) : 0;
        if (overlap > 0 && overlap <= MAX_OVERLAP && overlap + size <= MAX_SIZE) this.#append(last);
        before = '';
      }
      this.#append(piece, before, size);
      before = '';
      last = piece;
    }
  }

  #append(text: string, separator = '', size = sizeOf(text)): void {
    if (this.#text === '') {
      this.#text = text;
      this.#size = size;
    } else {
      this.#text += separator + text;
      this.#size += separator.length + size;
    }
  }

  #emit(): void {
    const text = this.#text.replace(/ \| $/, '').trimEnd();
    this.#text = '';
    this.#size = 0;
    this.#previous = null;
    if (text === '') return;
    if (this.#passages.length === MAX_PASSAGES) {
      const limit = formatNumber(MAX_PASSAGES);
      throw new ExtractionError(
        'too-large',
        `The document has more than ${limit} passages; split the document.`,
      );
    }
    this.#isHeadingEmpty = false;
    this.#passages.push({ heading: this.#heading, text });
  }

  #count(characters: number): void {
    this.#total += characters;
    if (this.#total > MAX_TEXT) {
      const limit = formatNumber(MAX_TEXT);
      throw new ExtractionError(
        'too-large',
        `The document has more than ${limit} characters of text; split the document.`,
      );
    }
  }
}

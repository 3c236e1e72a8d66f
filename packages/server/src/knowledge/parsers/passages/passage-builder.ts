import type { Passage } from '../extractor.ts';
import { MAX_PASSAGES, MAX_TEXT } from '../limits.ts';
import { Refusal, shown } from '../refusal.ts';
import type { Block } from './block.ts';
import { cutAtSpaces } from './cut-at-spaces.ts';
import { type Part, partOf } from './part.ts';
import { sizeOf } from './size.ts';
import { tidyLine } from './tidy.ts';

/** No passage is larger; all sizes are those of `sizeOf`. */
export const MAX_SIZE = 1200;
/** Where a block must be cut, passages are filled up to here. */
const GOOD_SIZE = 1000;
/** A passage of this size takes no further block. */
const ENOUGH = 800;
/** A passage below this size, such as the line that leads to a list, never stands alone before a block. */
const TOO_SMALL = 200;
/** The last sentence before a cut is said again behind it when it is no larger. */
const MAX_OVERLAP = 150;
/** A heading that is longer is a paragraph, and cut in the heading path. */
const MAX_HEADING = 200;
/** Longer text is taken piece by piece: a file may be one paragraph, and each step over it costs memory. */
const AT_ONCE = 100_000;

interface Heading {
  readonly level: number;
  readonly text: string;
}

/**
 * Makes passages of blocks. A heading always begins a new passage. Blocks are joined until a passage has
 * enough; one that does not fit whole goes to the next passage, and only one that fits nowhere is cut.
 *
 * Passages overlap only where a paragraph was cut: its sentences lean on each other, so the last one
 * before the cut, if short, begins the next passage too. Between blocks, items and rows, saying
 * something twice would only make the search find it twice.
 */
export class PassageBuilder {
  readonly #passages: Passage[] = [];
  #path: Heading[] = [];
  #heading: readonly string[] = [];
  /** Whether the last heading has nothing under it yet. */
  #bare = false;
  #text = '';
  #size = 0;
  #total = 0;
  #previous: Part | null = null;

  /** @throws Refusal `too-large` when the text or the number of passages exceeds its limit. */
  readonly add = (block: Block): void => {
    if (block.kind === 'heading') this.#open(block.level, block.text);
    else if (block.kind === 'page') this.#turn(block.number);
    else if ('text' in block && block.text.length > AT_ONCE) {
      for (const text of cutAtSpaces(block.text, AT_ONCE)) this.add({ ...block, text });
    } else {
      const part = partOf(block);
      if (part !== null) this.#place(part);
    }
  };

  /** All passages; nothing can be added any more. */
  finish(): readonly Passage[] {
    this.#close(0);
    return this.#passages;
  }

  #open(level: number, text: string): void {
    const line = tidyLine(text);
    if (line === '') return;
    this.#close(level);
    const long = line.length > MAX_HEADING;
    const short = long ? `${line.slice(0, MAX_HEADING).toWellFormed()}…` : line;
    this.#path = [...this.#path.filter((heading) => heading.level < level), { level, text: short }];
    this.#heading = this.#path.map((heading) => heading.text);
    this.#bare = true;
    if (long) this.add({ kind: 'paragraph', text });
  }

  #turn(page: number): void {
    this.#emit();
    this.#heading = [`Page ${page}`];
  }

  /** Ends the passage at hand. A heading that nothing follows but its equals is a passage by itself, so that it is found. */
  #close(nextLevel: number): void {
    this.#emit();
    const last = this.#path.at(-1);
    if (this.#bare && last !== undefined && nextLevel <= last.level) {
      this.#append(last.text);
      this.#emit();
    }
    this.#bare = false;
  }

  #place(part: Part): void {
    const { text } = part;
    this.#count(text.length);
    const between = part.close && this.#previous?.close ? '\n' : '\n\n';
    // A text is never smaller than its length, so most of a long one need not be measured.
    const size = text.length > MAX_SIZE ? Number.POSITIVE_INFINITY : sizeOf(text);
    if (this.#size >= ENOUGH) this.#emit();
    if (this.#size + between.length + size <= MAX_SIZE) {
      this.#append(text, between, size);
    } else if (size <= MAX_SIZE && this.#size >= TOO_SMALL) {
      this.#emit();
      this.#append(text, '', size);
    } else {
      this.#cut(part, between);
    }
    this.#previous = part;
  }

  #cut(part: Part, between: string): void {
    let before = between;
    let last = '';
    for (const piece of part.pieces(MAX_SIZE)) {
      const size = sizeOf(piece);
      if (this.#size > 0 && this.#size + before.length + size > GOOD_SIZE) {
        this.#emit();
        const again = part.overlaps ? sizeOf(last) : 0;
        if (again > 0 && again <= MAX_OVERLAP && again + size <= MAX_SIZE) this.#append(last);
        before = '';
      }
      this.#append(piece, before, size);
      before = '';
      last = piece;
    }
  }

  #append(text: string, between = '', size = sizeOf(text)): void {
    if (this.#text === '') {
      this.#text = text;
      this.#size = size;
    } else {
      this.#text += between + text;
      this.#size += between.length + size;
    }
  }

  #emit(): void {
    const text = this.#text.replace(/ \| $/, '').trimEnd();
    this.#text = '';
    this.#size = 0;
    this.#previous = null;
    if (text === '') return;
    if (this.#passages.length === MAX_PASSAGES) {
      const most = shown(MAX_PASSAGES);
      throw new Refusal('too-large', `The document gives more than ${most} passages; split it.`);
    }
    this.#bare = false;
    this.#passages.push({ heading: this.#heading, text });
  }

  #count(characters: number): void {
    this.#total += characters;
    if (this.#total > MAX_TEXT) {
      const most = shown(MAX_TEXT);
      throw new Refusal(
        'too-large',
        `The document has more than ${most} characters of text; split it.`,
      );
    }
  }
}

import { withoutCitations } from '@gatehouse/contract/answer-text';
import { decodeEntities } from '../text/entities.ts';
import { visible } from '../text/visible.ts';

/** A part of a block, or the end of the block. */
export type Piece = { readonly text: string } | 'end of block';

/** Markdown prefix of a line: quote, list item, heading, task. */
const HEAD = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?/;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;
const TABLE_ROW = /^[ \t]*\|/;
const MARKS_ONLY = /^[\s>|:=*_#+-]*$/;

const CODE = /(`+)([^`]+)\1(?!`)/g;
const LINK = /!?\[([^[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g;
/** Text in brackets, except a link whose address is incomplete. */
const BRACKETS = /\[[^[\]]*\](?!\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:"[^"]*"?)?)?$)/g;
/** Characters after which text can be split without splitting a word. */
const GAP = /[\s，。！？、；：]/;
/** Escaped characters and emphasis marks. Marks between characters of the same kind are literal: `2 * 3`, `2*3`, `a_b`. */
const MARKS = /\\([!-/:-@[-`{-~])|[*~]+|_+/g;
const STAND_ALONE = [/^\s?$/, /\d/];
/** In UTF-16 code units. A longer bracket or code span is treated as literal text. */
const MAX_BRACKET = 500;

/** Extracts plain text from growing Markdown. Never splits a word. */
export class PlainTextExtractor {
  readonly #code: string;
  /** The part of the last line that has not been returned yet. */
  #line = '';
  #hasStarted = false;
  #isHeading = false;
  /** The opening fence of the current code block, or `null` outside of a code block. */
  #fence: string | null = null;

  /** @param code the text to announce instead of a code block. */
  constructor(code: string) {
    this.#code = code;
  }

  /** @param more the text after the end of the previous call. */
  push(more: string): Piece[] {
    const pieces: Piece[] = [];
    const [rest = '', ...lines] = `${this.#line}${more}`.split('\n').reverse();
    for (const line of lines.reverse()) {
      pieces.push(...this.#completeLine(line));
      this.#hasStarted = false;
    }
    this.#line = rest;
    pieces.push(...this.#words());
    return pieces;
  }

  end(): Piece[] {
    return [...this.push('\n'), 'end of block'];
  }

  #completeLine(line: string): Piece[] {
    if (this.#hasStarted) return this.#continue(`${line}\n`);
    const mark = FENCE.exec(line)?.[1];
    if (this.#fence !== null) {
      if (mark?.startsWith(this.#fence) && line.trim().endsWith(mark)) this.#fence = null;
      return [];
    }
    if (mark !== undefined) {
      this.#fence = mark;
      return ['end of block', { text: this.#code }, 'end of block'];
    }
    if (MARKS_ONLY.test(line)) return ['end of block'];
    if (TABLE_ROW.test(line)) return ['end of block', { text: cells(line) }, 'end of block'];
    return this.#start(`${line}\n`);
  }

  /** Returns the complete words of the last line if the type of the line is unambiguous. */
  #words(): Piece[] {
    const line = this.#line.slice(0, stableEnd(this.#line));
    const head = HEAD.exec(line)?.[0] ?? '';
    const isAmbiguous =
      this.#fence !== null ||
      line === head ||
      [FENCE, TABLE_ROW, MARKS_ONLY].some((kind) => kind.test(line));
    if (line === '' || (!this.#hasStarted && isAmbiguous)) return [];
    this.#line = this.#line.slice(line.length);
    if (this.#hasStarted) return this.#continue(line);
    this.#hasStarted = true;
    return this.#start(line);
  }

  #start(line: string): Piece[] {
    const head = HEAD.exec(line)?.[0] ?? '';
    this.#isHeading = head.includes('#');
    const text = this.#continue(line.slice(head.length));
    return head.trim() === '' ? text : ['end of block', ...text];
  }

  #continue(text: string): Piece[] {
    const piece = { text: plain(text) };
    return this.#isHeading && text.endsWith('\n') ? [piece, 'end of block'] : [piece];
  }
}

function cells(row: string): string {
  return row
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell).trim())
    .filter((cell) => cell !== '')
    .join(', ');
}

/** Returns the end of the prefix that later text cannot change. */
function stableEnd(text: string): number {
  const hide = (whole: string) => 'x'.repeat(whole.length);
  const hidden = [CODE, LINK, LINK, BRACKETS].reduce((all, part) => all.replace(part, hide), text);
  const open = hidden.search(/[[`]/);
  let end = open === -1 || text.length - open > MAX_BRACKET ? text.length : open;
  while (end > 0 && !GAP.test(hidden.charAt(end - 1))) end--;
  return end;
}

function plain(markdown: string): string {
  const text = markdown.replace(LINK, '$1').replace(LINK, '$1');
  let shown = '';
  let end = 0;
  for (const { 0: whole, 2: code, index } of text.matchAll(CODE)) {
    shown += withoutMarks(text.slice(end, index)) + code;
    end = index + whole.length;
  }
  shown += withoutMarks(text.slice(end));
  return visible(shown).replace(/\s+/g, ' ');
}

function withoutMarks(text: string): string {
  const words = withoutCitations(text)
    .replace(/<br ?\/?>/gi, ' ')
    .replace(/<((?:https?|mailto):[^\s<>]+)>/gi, '$1')
    .replace(MARKS, (marks, escaped: string | undefined, at: number, all: string) => {
      const neighbours = [all.charAt(at - 1), all.charAt(at + marks.length)];
      const kinds = marks.startsWith('_') ? [...STAND_ALONE, /\p{L}/u] : STAND_ALONE;
      const isLiteral = kinds.some((kind) => neighbours.every((char) => kind.test(char)));
      return escaped ?? (isLiteral ? marks : '');
    });
  return decodeEntities(words);
}

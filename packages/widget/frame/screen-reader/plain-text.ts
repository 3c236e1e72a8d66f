import { withoutCitations } from '../text/citations.ts';
import { decodeEntities } from '../text/entities.ts';
import { visible } from '../text/visible.ts';

/** Words of a block, or that the block has ended. */
export type Piece = { readonly text: string } | 'end of block';

/** Marks before the text of a line: quotes, items, headings, tasks. */
const HEAD = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?/;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;
const TABLE_ROW = /^[ \t]*\|/;
const MARKS_ALONE = /^[\s>|:=*_#+-]*$/;

const CODE = /(`+)([^`]+)\1(?!`)/g;
const LINK = /!?\[([^[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g;
/** But not the text of a link whose address has not ended yet. */
const BRACKETS = /\[[^[\]]*\](?!\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:"[^"]*"?)?)?$)/g;
/** Where a text may be parted without parting a word. */
const GAP = /[\s，。！？、；：]/;
/** Escaped characters, and what may be marks of emphasis; but not between two of a kind: `2 * 3`, `2*3`, `a_b`. */
const MARKS = /\\([!-/:-@[-`{-~])|[*~]+|_+/g;
const STAND_ALONE = [/^\s?$/, /\d/];
/** A bracket or mark of code that does not end within this is one by itself, in UTF-16 units. */
const LONGEST_BRACKET = 500;

/** Reads Markdown as it grows: whole words of it, without its marks. */
export class PlainTextReader {
  readonly #code: string;
  /** Of the line that is coming, what was not given yet. */
  #line = '';
  #hasBegun = false;
  #isHeading = false;
  /** What ends the code that we are in. */
  #fence: string | null = null;

  /** @param code what is given in place of a code block. */
  constructor(code: string) {
    this.#code = code;
  }

  /** @param more what has come since the last call. */
  read(more: string): Piece[] {
    const pieces: Piece[] = [];
    const [rest = '', ...lines] = `${this.#line}${more}`.split('\n').reverse();
    for (const line of lines.reverse()) {
      pieces.push(...this.#wholeLine(line));
      this.#hasBegun = false;
    }
    this.#line = rest;
    pieces.push(...this.#words());
    return pieces;
  }

  end(): Piece[] {
    return [...this.read('\n'), 'end of block'];
  }

  #wholeLine(line: string): Piece[] {
    if (this.#hasBegun) return this.#goOn(`${line}\n`);
    const mark = FENCE.exec(line)?.[1];
    if (this.#fence !== null) {
      if (mark?.startsWith(this.#fence) && line.trim().endsWith(mark)) this.#fence = null;
      return [];
    }
    if (mark !== undefined) {
      this.#fence = mark;
      return ['end of block', { text: this.#code }, 'end of block'];
    }
    if (MARKS_ALONE.test(line)) return ['end of block'];
    if (TABLE_ROW.test(line)) return ['end of block', { text: cells(line) }, 'end of block'];
    return this.#begin(`${line}\n`);
  }

  /** Of a line that is coming, the words that are whole, once it is clear what line it is. */
  #words(): Piece[] {
    const line = this.#line.slice(0, clearEnd(this.#line));
    const head = HEAD.exec(line)?.[0] ?? '';
    const isUnclear =
      this.#fence !== null ||
      line === head ||
      [FENCE, TABLE_ROW, MARKS_ALONE].some((kind) => kind.test(line));
    if (line === '' || (!this.#hasBegun && isUnclear)) return [];
    this.#line = this.#line.slice(line.length);
    if (this.#hasBegun) return this.#goOn(line);
    this.#hasBegun = true;
    return this.#begin(line);
  }

  #begin(line: string): Piece[] {
    const head = HEAD.exec(line)?.[0] ?? '';
    this.#isHeading = head.includes('#');
    const text = this.#goOn(line.slice(head.length));
    return head.trim() === '' ? text : ['end of block', ...text];
  }

  #goOn(text: string): Piece[] {
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

/** Where the words end that nothing behind them can change. */
function clearEnd(text: string): number {
  const hide = (whole: string) => 'x'.repeat(whole.length);
  const hidden = [CODE, LINK, LINK, BRACKETS].reduce((all, part) => all.replace(part, hide), text);
  const open = hidden.search(/[[`]/);
  let end = open === -1 || text.length - open > LONGEST_BRACKET ? text.length : open;
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
      const isMeant = kinds.some((kind) => neighbours.every((char) => kind.test(char)));
      return escaped ?? (isMeant ? marks : '');
    });
  return decodeEntities(words);
}

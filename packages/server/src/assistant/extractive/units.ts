import { sentencesOf } from '../../lib/text/index.ts';

/** The smallest piece of a passage that is quoted: a sentence, an item of a list or a row of a table. */
export interface Unit {
  /** On one line, without the mark of a list. Never empty. */
  readonly text: string;
  /** Which of the passage's paragraphs it stands in, from 0. */
  readonly block: number;
  /** It is a row of a table, whose cells ` | ` parts. */
  readonly row: boolean;
}

const BLANK_LINES = /\n[^\S\n]*\n\s*/;
const LIST_MARK = /^(?:[-*+•‣◦–—]|\d{1,3}[.)])\s+/;
const ENDS_SENTENCE = /[\p{STerm}:;…|][\p{Pe}\p{Pf}"']*$/u;
const ROW = ' | ';
/** A line this long that ends amid a sentence was probably cut to a width. */
const WRAPPED_FROM = 45;
const CARRIES_ON = /^[\p{L}\p{N}("'„“«]/u;
/** Marks that change the direction of what stands behind them, beyond the quotation. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The units of a passage's text, in order. */
export function unitsOf(text: string): Unit[] {
  return text
    .replace(DIRECTIONS, '')
    .split(BLANK_LINES)
    .flatMap((paragraph, block) =>
      linesOf(paragraph)
        .flatMap((line) => (line.includes(ROW) ? [line] : sentencesOf(line)))
        .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
        .filter((sentence) => sentence !== '')
        .map((sentence) => ({ text: sentence, block, row: sentence.includes(ROW) })),
    );
}

/** The lines of a paragraph, put together again where only its width parted them. */
function linesOf(paragraph: string): string[] {
  const lines: string[] = [];
  let wrapped = false;
  for (const raw of paragraph.split('\n')) {
    const line = raw.trim();
    const item = LIST_MARK.exec(line)?.[0] ?? '';
    if (wrapped && item === '' && CARRIES_ON.test(line)) lines.push(`${lines.pop()} ${line}`);
    else lines.push(line.slice(item.length));
    wrapped = line.length >= WRAPPED_FROM && !line.includes(ROW) && !ENDS_SENTENCE.test(line);
  }
  return lines;
}

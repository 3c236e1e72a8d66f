import { endOfSize, sizeOf } from './size.ts';

/**
 * Ends of sentences in all scripts, with what closes around them; those of East Asia need no space. A row
 * of dots is tried from its first one only, which keeps the search linear.
 */
const TERMINAL = /(?<!\p{STerm})\p{STerm}+[\p{Pe}\p{Pf}\p{Pi}"']*\s+|[。！？｡]+[\p{Pe}\p{Pf}]*/gu;
/** A dot behind a single letter or a number of one or two digits rarely ends one: `z. B.`, `3. Mai`. */
const NO_END = /(?:^|[^\p{L}\p{N}])(?:\p{L}|\p{N}{1,2})\.\s+$/u;
/** How far back `NO_END` must see. */
const SIGHT = 12;
/** At least this share of a piece is kept when it is cut at a space. */
const LEAST_FILL = 0.5;

/**
 * The sentences of a text, each with the space behind it, so that together they are the text. By rules
 * of our own: `Intl.Segmenter` takes a second for 50 kB of Chinese, growing with the square of the length.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: terminal, index } of text.matchAll(TERMINAL)) {
    const end = index + terminal.length;
    if (NO_END.test(text.slice(Math.max(start, end - SIGHT), end))) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/**
 * Cuts a text that has no better places: behind the last line break or space that keeps a piece at least
 * half full, else between two characters. Together the pieces are the text.
 */
export function cutAtSpaces(text: string, maxSize: number): string[] {
  if (text.length * 2 <= maxSize || sizeOf(text) <= maxSize) return [text];
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    const most = endOfSize(text, start, maxSize);
    const end = most === text.length ? most : start + bestCut(text.slice(start, most));
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function bestCut(piece: string): number {
  const least = piece.length * LEAST_FILL;
  for (const space of ['\n', ' ']) {
    const at = piece.lastIndexOf(space);
    if (at >= least) return at + 1;
  }
  // A mark stays with its letter.
  let at = piece.length;
  while (at > least && /^\p{M}/u.test(piece.slice(at))) at--;
  return at;
}

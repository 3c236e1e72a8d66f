import { endOfSize, sizeOf } from './size.ts';

/** At least this share of a piece is kept when it is cut at a space. */
const LEAST_FILL = 0.5;

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

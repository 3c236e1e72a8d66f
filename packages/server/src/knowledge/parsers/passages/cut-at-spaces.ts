const FIRST_DENSE = 0x2e80;
const LAST_DENSE = 0xd7ff;
const FIRST_COMPATIBLE = 0xf900;
const LAST_COMPATIBLE = 0xfaff;
/** Minimum length of a piece that is cut at a space, as a fraction of the longest possible piece. */
const MIN_FILL = 0.5;

/**
 * Cuts a text that has no better boundaries, such as sentences. Cuts after a line break or space if the piece is then at least
 * half full; otherwise between two characters. The concatenated pieces equal the text.
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
  const least = piece.length * MIN_FILL;
  for (const space of ['\n', ' ']) {
    const at = piece.lastIndexOf(space);
    if (at >= least) return at + 1;
  }
  // A combining mark stays with its letter.
  let at = piece.length;
  while (at > least && /^\p{M}/u.test(piece.slice(at))) at--;
  return at;
}

/**
 * Returns the size of a text in letters. A Chinese, Japanese or Korean character counts twice, because it carries about as
 * much information as two letters. Characters beyond the basic plane have two code units and also count twice.
 */
export function sizeOf(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) if (isDense(text.charCodeAt(at))) size++;
  return size;
}

/** Returns the largest index `end` for which the text from `start` to `end` does not exceed the size. Never splits a surrogate pair. */
function endOfSize(text: string, start: number, size: number): number {
  let at = start;
  let left = size;
  while (at < text.length) {
    left -= isDense(text.charCodeAt(at)) ? 2 : 1;
    if (left < 0) break;
    at++;
  }
  const inPair = at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return inPair ? at - 1 : at;
}

function isDense(code: number): boolean {
  if (code < FIRST_DENSE) return false;
  return code <= LAST_DENSE || (code >= FIRST_COMPATIBLE && code <= LAST_COMPATIBLE);
}

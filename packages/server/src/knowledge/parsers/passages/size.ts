const FIRST_DENSE = 0x2e80;
const LAST_DENSE = 0xd7ff;
const FIRST_COMPATIBLE = 0xf900;
const LAST_COMPATIBLE = 0xfaff;

/**
 * How much a text says, in characters of an alphabet: a character of Chinese, Japanese or Korean counts
 * twice, since it says about as much as two letters. One beyond the basic plane is two code units anyway.
 */
export function sizeOf(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) if (isDense(text.charCodeAt(at))) size++;
  return size;
}

/** The largest index at which the text from `start` has at most this size; never inside a surrogate pair. */
export function endOfSize(text: string, start: number, size: number): number {
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

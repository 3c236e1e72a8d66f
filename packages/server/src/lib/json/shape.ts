import { BACKSLASH, BRACKET_BIT, CLOSE, COMMA, OPEN, QUOTE } from './bytes.ts';

const COLON = 0x3a;

export const TOO_DEEP = -1;
export const TOO_MANY = -2;

/**
 * Measures a JSON text before it is parsed. Returns the number of members of all objects, `TOO_DEEP` or `TOO_MANY`. The number
 * is meaningless for invalid JSON. Takes about 1 µs per 1,000 bytes.
 */
export function measureJson(
  bytes: Uint8Array,
  maxDepth: number,
  maxCommas = Number.POSITIVE_INFINITY,
): number {
  const length = bytes.length;
  let members = 0;
  let commas = 0;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at++] as number;
    if (byte === QUOTE) {
      while (at < length) {
        const inside = bytes[at++] as number;
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) at++;
      }
    } else if (byte === COLON) {
      members++;
    } else if (byte === COMMA) {
      if (++commas > maxCommas) return TOO_MANY;
    } else {
      const bracket = byte | BRACKET_BIT;
      if (bracket === OPEN) {
        if (++depth > maxDepth) return TOO_DEEP;
      } else if (bracket === CLOSE) {
        depth--;
      }
    }
  }
  return members;
}

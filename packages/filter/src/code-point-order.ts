/**
 * Compares two well-formed strings by code points: negative, zero or positive. The order of UTF-8 bytes, of
 * SQLite's `BINARY` and PostgreSQL's `"C"` collation; not that of JavaScript's `<`, which compares UTF-16
 * units and so puts U+10000 and above before U+E000.
 */
export function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

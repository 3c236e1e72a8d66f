/**
 * Returns a string for case-insensitive comparison: JavaScript's `toLowerCase`. A final `Σ` becomes `ς`, any other `σ`, so
 * a folded part is not always a part of the folded whole. Stores must fold with this function, because engines differ.
 */
export function fold(text: string): string {
  return text.toLowerCase();
}

/**
 * Compares two well-formed strings by code points. Returns a negative number, zero or a positive number. This is the order
 * of UTF-8 bytes, of SQLite's `BINARY` and of PostgreSQL's `"C"` collation. JavaScript's `<` compares UTF-16 units
 * instead, which puts U+10000 and above before U+E000.
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

const anyRun = Symbol('%');
const anyCharacter = Symbol('_');
type Token = string | typeof anyRun | typeof anyCharacter;

/**
 * Reports whether a whole string matches a `like` pattern, ignoring letter case. `%` matches any run of characters, empty
 * or with line breaks too; `_` one code point of the folded value; `\` makes the next character literal.
 *
 * Backtracks to the last `%` only, because it can match everything that an earlier `%` could. The time is therefore
 * at most proportional to the value's length times the pattern's.
 */
export function matchesLike(value: string, pattern: string): boolean {
  const characters = Array.from(fold(value));
  const tokens = readTokens(fold(pattern));
  let at = 0;
  let next = 0;
  let retryAt = 0;
  let retryNext: number | undefined;
  while (at < characters.length) {
    const token = tokens[next];
    if (token === anyRun) {
      next += 1;
      retryAt = at;
      retryNext = next;
    } else if (token === anyCharacter || token === characters[at]) {
      at += 1;
      next += 1;
    } else if (retryNext !== undefined) {
      retryAt += 1;
      at = retryAt;
      next = retryNext;
    } else {
      return false;
    }
  }
  return tokens.slice(next).every((token) => token === anyRun);
}

function readTokens(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  let escaped = false;
  for (const character of pattern) {
    if (escaped) {
      tokens.push(character);
      escaped = false;
    } else if (character === '\\') escaped = true;
    else if (character === '%') tokens.push(anyRun);
    else if (character === '_') tokens.push(anyCharacter);
    else tokens.push(character);
  }
  return tokens;
}

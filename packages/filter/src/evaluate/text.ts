/**
 * Folds a string for case-insensitive comparison with JavaScript's `toLowerCase`. A final `Σ` becomes `ς` and any other
 * `Σ` becomes `σ`, so a folded substring is not always a substring of the folded string. Stores must fold with this
 * function, because database engines fold differently.
 */
export function fold(text: string): string {
  return text.toLowerCase();
}

/**
 * Compares two well-formed strings by code point. Returns a negative number, zero or a positive number. UTF-8 bytes,
 * SQLite's `BINARY` collation and PostgreSQL's `"C"` collation have the same order. JavaScript's `<` compares UTF-16
 * code units and therefore sorts U+10000 and above before U+E000.
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

export const anyRun = Symbol('%');
export const anyCharacter = Symbol('_');
/** A literal code point or a wildcard. */
export type Token = string | typeof anyRun | typeof anyCharacter;

/**
 * Reports whether an entire string matches a `like` pattern, ignoring case. `%` matches any number of characters,
 * including line breaks. `_` matches one code point of the folded value. `\` makes the next character literal.
 *
 * Backtracks only to the last `%`, because backtracking to an earlier `%` cannot find more matches. The run time is at
 * most proportional to the product of both lengths.
 */
export function matchesLike(value: string, pattern: string): boolean {
  return likeMatcher(pattern)(value);
}

/** Returns `matchesLike` for one pattern, which is tokenized only once. */
export function likeMatcher(pattern: string): (value: string) => boolean {
  const tokens = tokenize(fold(pattern));
  return (value) => matchesTokens(Array.from(fold(value)), tokens);
}

function matchesTokens(characters: readonly string[], tokens: readonly Token[]): boolean {
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
  while (tokens[next] === anyRun) next += 1;
  return next === tokens.length;
}

/** Splits a `like` pattern into literal code points and wildcards. */
export function tokenize(pattern: string): readonly Token[] {
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

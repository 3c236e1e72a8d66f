import { fold } from './fold.ts';

const anyRun = Symbol('%');
const anyCharacter = Symbol('_');
type Token = string | typeof anyRun | typeof anyCharacter;

/**
 * Whether a whole string matches a `like` pattern, letter case aside: `%` is any run, of none or of line
 * breaks too, `_` one code point of the folded value, and `\` takes the next character as it is.
 *
 * Only the last `%` is ever tried again: whatever an earlier one could take, the later can as well. So the
 * time is at most the value's length times the pattern's, and nothing grows exponentially.
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

/** Whether a pattern's last `\` has no character to take. */
export function endsInsideEscape(pattern: string): boolean {
  let escaped = false;
  for (const character of pattern) escaped = character === '\\' && !escaped;
  return escaped;
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

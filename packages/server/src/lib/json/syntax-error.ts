export interface JsonSyntaxError {
  /** A clause that describes the error without any part of the text, such as "a value is expected". */
  readonly expected: string;
  readonly line: number;
  /** Column from 1, in UTF-16 code units. */
  readonly column: number;
}

interface Misplaced {
  readonly at: number;
  readonly expected: string;
}

const LITERAL = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/**
 * Returns the position of the first error in a text that is not JSON (RFC 8259), or null for valid JSON. V8's error message
 * contains parts of the text, and often no position. Not recursive, so any depth is safe.
 */
export function findSyntaxError(text: string): JsonSyntaxError | null {
  const misplaced = findMisplaced(text);
  if (misplaced === null) return null;
  const { at } = misplaced;
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const expected = at >= text.length ? 'it ends too early' : misplaced.expected;
  return {
    expected,
    line: at === 0 ? 1 : countLines(text, at),
    column: at === 0 ? 1 : at - lineStart + 1,
  };
}

function findMisplaced(text: string): Misplaced | null {
  const open: string[] = [];
  let at = skipSpace(text, 0);
  for (;;) {
    // At a value.
    const first = text[at];
    if (first === '{' || first === '[') {
      const closing = first === '{' ? '}' : ']';
      at = skipSpace(text, at + 1);
      if (text[at] !== closing) {
        open.push(closing);
        if (closing === '}') {
          const name = readName(text, at);
          if (typeof name !== 'number') return name;
          at = name;
        }
        continue;
      }
      at++;
    } else {
      const end = first === '"' ? readString(text, at) : readLiteral(text, at);
      if (typeof end !== 'number') return end;
      at = end;
    }
    // After a value.
    at = skipSpace(text, at);
    while (open.length > 0 && text[at] === open.at(-1)) {
      open.pop();
      at = skipSpace(text, at + 1);
    }
    const closing = open.at(-1);
    if (closing === undefined) {
      return at === text.length ? null : { at, expected: 'unexpected text follows the value' };
    }
    if (text[at] !== ',') return { at, expected: `"," or "${closing}" is expected` };
    at = skipSpace(text, at + 1);
    if (closing === '}') {
      const name = readName(text, at);
      if (typeof name !== 'number') return name;
      at = name;
    }
  }
}

/** Reads a member name and the colon. Returns the offset of the value. */
function readName(text: string, at: number): number | Misplaced {
  if (text[at] !== '"') return { at, expected: 'a member name in double quotes is expected' };
  const end = readString(text, at);
  if (typeof end !== 'number') return end;
  const colon = skipSpace(text, end);
  if (text[colon] !== ':') return { at: colon, expected: '":" is expected' };
  return skipSpace(text, colon + 1);
}

function readString(text: string, start: number): number | Misplaced {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return { at, expected: 'a control character is not escaped' };
    at++;
    if (code === 0x5c) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) {
        // A text that is truncated inside an escape ends too early.
        const cut = /^(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(at, at + 6));
        return { at: cut ? text.length : at, expected: 'an unknown escape occurs' };
      }
      at = ESCAPE.lastIndex;
    }
  }
  return { at, expected: 'a closing quote is expected' };
}

function readLiteral(text: string, at: number): number | Misplaced {
  LITERAL.lastIndex = at;
  return LITERAL.test(text) ? LITERAL.lastIndex : { at, expected: 'a value is expected' };
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); isSpace(code); code = text.charCodeAt(at)) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

import { JsonCursor } from './cursor.ts';

const BACKSLASH = '\\';
const QUOTE = '"';
const COLON = ':';
const SPACE = ' ';
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

type JsonObject = Record<string, unknown>;
type Slice = (start: number, end: number) => string;

/**
 * Parses untrusted JSON according to the specification of `JSON.parse` (ECMA-262, section 25.5.1). V8 can misread a
 * member name with an escape if an earlier text had the name `\` in the same place (decision 12). Therefore texts with
 * escaped names are parsed piece by piece. `__proto__` becomes an ordinary own member.
 *
 * @throws {SyntaxError} for invalid JSON; the message contains parts of the text.
 */
export function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? assemble(text) : value;
}

/** Reports whether a member name contains an escape. The text must be valid JSON. */
function hasEscapedName(text: string): boolean {
  let at = text.indexOf(BACKSLASH);
  while (at !== -1) {
    while (text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
    do at++;
    while ((text[at] as string) <= SPACE);
    if (text[at] === COLON) return true;
    at = text.indexOf(BACKSLASH, at);
  }
  return false;
}

/** Parses a text piece by piece. Not recursive, so any depth is safe. */
function assemble(text: string): unknown {
  const bytes = Buffer.from(text);
  const cursor = new JsonCursor(bytes);
  // In ASCII text, byte offsets equal string offsets, and slicing the string is ten times cheaper.
  const written: Slice =
    bytes.length === text.length
      ? (start, end) => text.slice(start, end)
      : (start, end) => bytes.toString('utf8', start, end);
  const open: (unknown[] | JsonObject)[] = [];
  const root = begin(cursor, written, open);
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    if (Array.isArray(inner)) {
      if (cursor.nextElement()) inner.push(begin(cursor, written, open));
      else open.pop();
    } else if (cursor.nextMember()) {
      const name = scalar(written(cursor.nameStart, cursor.nameEnd)) as string;
      setOwn(inner, name, begin(cursor, written, open));
    } else {
      open.pop();
    }
  }
  return root;
}

/** Returns the current value. An object or array is returned empty and added to `open`. */
function begin(cursor: JsonCursor, written: Slice, open: (unknown[] | JsonObject)[]): unknown {
  const { bytes, at: start } = cursor;
  const first = bytes[start];
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    const inner = first === OPEN_OBJECT ? {} : [];
    open.push(inner);
    cursor.enter();
    return inner;
  }
  cursor.skip();
  return scalar(written(start, cursor.at));
}

/** Parses a scalar without calling `JSON.parse`, which is slow for millions of small values. */
function scalar(text: string): unknown {
  switch (text[0]) {
    case QUOTE:
      return text.includes(BACKSLASH) ? JSON.parse(text) : text.slice(1, -1);
    case 't':
      return true;
    case 'f':
      return false;
    case 'n':
      return null;
    default:
      return Number(text);
  }
}

function setOwn(object: JsonObject, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else {
    const own = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, name, own);
  }
}

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
 * What `JSON.parse` gives by its specification (ECMA-262, section 25.5.1), for every text whose names
 * somebody else chose. V8 reads a member's name that is written with an escape wrongly once an earlier
 * text has had the name `\` in its place, whoever sent that one (docs/decisions/0012); a text with
 * such a name is therefore put together here, from its names and scalars one by one. Any other text
 * costs a search for backslashes more. As always, `__proto__` is an ordinary own member.
 *
 * @throws SyntaxError as `JSON.parse` does; its message shows parts of the text.
 */
export function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? assemble(text) : value;
}

/** Whether a string with an escape stands before a colon. The text must be valid JSON. */
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

/** Not recursive, so any depth is safe. */
function assemble(text: string): unknown {
  const bytes = Buffer.from(text);
  const cursor = new JsonCursor(bytes);
  // Offsets are those of bytes; in ASCII they are the text's own, whose slices are ten times as cheap.
  const written: Slice =
    bytes.length === text.length
      ? (start, end) => text.slice(start, end)
      : (start, end) => bytes.toString('utf8', start, end);
  const open: (unknown[] | JsonObject)[] = [];
  const whole = begin(cursor, written, open);
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
  return whole;
}

/** The value at hand: a scalar as it is, an object or array still empty and among those that are open. */
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

/** As `JSON.parse` reads it, which is slow to call for millions of small values. */
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

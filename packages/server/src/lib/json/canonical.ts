import { isAscii } from 'node:buffer';
import { JsonCursor } from './cursor.ts';
import { shownName } from './member-name.ts';

const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const LETTERS = 0x61;

/** A JSON text that has no canonical form. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
}

/**
 * Returns the canonical form of a JSON text (RFC 8785, JSON Canonicalization Scheme): no white space, members sorted
 * by the UTF-16 code units of their names, strings and numbers as ECMAScript prints them. The function reads the text
 * instead of a parsed value, because `JSON.parse` hides duplicate names, lone surrogates and numbers that no double
 * represents (see `canonicalNumber`).
 *
 * @param bytes valid JSON in UTF-8 with at most a few hundred levels, because the function is recursive.
 * @throws {NotCanonical} The message starts with the path of the invalid value.
 */
export function canonicalJson(bytes: Uint8Array): string {
  return new Writer(new JsonCursor(bytes), slicesOf(bytes)).value();
}

type Slice = (start: number, end: number) => string;

/**
 * Returns a function that extracts text by byte offsets. In ASCII text, byte offsets equal string offsets, and slicing
 * the string is cheaper.
 */
function slicesOf(bytes: Uint8Array): Slice {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isAscii(buffer)) return (start, end) => buffer.toString('utf8', start, end);
  const text = buffer.toString('latin1');
  return (start, end) => text.slice(start, end);
}

class Writer {
  readonly #cursor: JsonCursor;
  readonly #written: Slice;
  readonly #path: (string | number)[] = [];

  constructor(cursor: JsonCursor, written: Slice) {
    this.#cursor = cursor;
    this.#written = written;
  }

  /** Returns the canonical form of the current value and moves past the value. */
  value(): string {
    const { bytes, at } = this.#cursor;
    const first = bytes[at] as number;
    if (first === OPEN_OBJECT) return this.#object();
    if (first === OPEN_ARRAY) return this.#array();
    this.#cursor.skip();
    const written = this.#written(at, this.#cursor.at);
    if (first === QUOTE) return this.#string(written);
    return first >= LETTERS ? written : this.#number(written);
  }

  #object(): string {
    const cursor = this.#cursor;
    const members: { name: string; text: string }[] = [];
    cursor.enter();
    while (cursor.nextMember()) {
      const written = this.#written(cursor.nameStart, cursor.nameEnd);
      const name = cursor.nameEscaped ? (JSON.parse(written) as string) : written.slice(1, -1);
      this.#path.push(name);
      const quoted = cursor.nameEscaped ? this.#quoted(name) : written;
      members.push({ name, text: `${quoted}:${this.value()}` });
      this.#path.pop();
    }
    members.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
    for (const [index, { name }] of members.entries()) {
      if (name !== members[index + 1]?.name) continue;
      this.#path.push(name);
      throw this.#problem('is given twice');
    }
    return `{${members.map(({ text }) => text).join(',')}}`;
  }

  #array(): string {
    const cursor = this.#cursor;
    const elements: string[] = [];
    cursor.enter();
    while (cursor.nextElement()) {
      this.#path.push(elements.length);
      elements.push(this.value());
      this.#path.pop();
    }
    return `[${elements.join(',')}]`;
  }

  /** A string without escapes is already canonical. */
  #string(written: string): string {
    return written.includes('\\') ? this.#quoted(JSON.parse(written) as string) : written;
  }

  #quoted(value: string): string {
    if (!value.isWellFormed()) throw this.#problem('contains a lone surrogate');
    return JSON.stringify(value);
  }

  #number(written: string): string {
    const canonical = canonicalNumber(written);
    if (canonical !== null) return canonical;
    throw this.#problem('is a number that a double cannot represent; send it as a string');
  }

  #problem(problem: string): NotCanonical {
    const path = this.#path.reduce<string>((whole, part) => {
      if (typeof part === 'number') return `${whole}[${part}]`;
      return whole === '' ? shownName(part) : `${whole}.${shownName(part)}`;
    }, '');
    return new NotCanonical(`${path === '' ? 'the value' : path} ${problem}`);
  }
}

/**
 * Formats a number as the nearest double, printed by ECMAScript's rules (RFC 8785, section 3.2.2.3).
 *
 * @param text a JSON number.
 * @returns null for a number outside the range of doubles, and for a number beyond 2^53 whose printed form has a
 * different value. Beyond 2^53, doubles do not distinguish neighbouring integers, so two different IDs could have the
 * same canonical form.
 */
function canonicalNumber(text: string): string | null {
  const value = Number(text);
  const printed = String(value);
  if (printed === text) return printed;
  if (!Number.isFinite(value)) return null;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return printed;
  return decimal(text) === decimal(printed) ? printed : null;
}

/**
 * Formats a JSON number without loss of digits beyond 2^53. All notations of a number give the same text. A number with a canonical form
 * gives that form.
 *
 * @example
 * exactNumber('4.20e1'); // '42'
 * exactNumber('1234567890123456781.0'); // '1234567890123456781'
 */
export function exactNumber(text: string): string {
  const canonical = canonicalNumber(text);
  if (canonical !== null) return canonical;
  const exact = decimal(text);
  const [digits = '', scale = ''] = exact.split('e');
  const zeros = Number(scale);
  return zeros >= 0 && zeros <= MAX_ZEROS ? digits + '0'.repeat(zeros) : exact;
}

/** Maximum zeros at the end of a number that is written without an exponent. */
const MAX_ZEROS = 20;
const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Returns the same text for all notations of a decimal number other than 0. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const scale = Number(exponent) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(start, end)}e${scale}`;
}

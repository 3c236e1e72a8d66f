import { findFault, JsonCursor, measureJson, TOO_DEEP, textAt } from '../../../lib/json/index.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import type { Sink } from '../passages/block.ts';
import { Refusal, shown } from '../refusal.ts';
import { decodeText } from './decode-text.ts';
import { NO_FACTS, type Parser } from './parser.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const QUOTE = 0x22;
/** Lines of one record that are kept together at most. */
const MAX_LINES = 500;
/** A longer path is cut at its end. */
const MAX_PATH = 300;

/**
 * Every leaf is a line `path: value`. A member of the outermost object is a heading when it holds more
 * than a value, and each element of an array under it is a record, whose lines stay together.
 *
 * The bytes are walked and no object is made, so that a number keeps all its digits, a repeated member
 * is not lost, and a text of brackets costs no memory.
 */
export const read: Parser = (bytes, add) => {
  const text = decodeText(bytes);
  const json = Buffer.from(text);
  if (measureJson(json, MAX_JSON_DEPTH) === TOO_DEEP) {
    const most = shown(MAX_JSON_DEPTH);
    throw new Refusal('too-complex', `The JSON is nested deeper than ${most} levels.`);
  }
  const fault = findFault(text);
  if (fault !== null) {
    const { line, column, expected } = fault;
    throw new Refusal('corrupt', `It is not JSON: line ${line}, column ${column}: ${expected}.`);
  }
  new Records(json, add).read();
  return NO_FACTS;
};

class Records {
  #cursor: JsonCursor;
  readonly #add: Sink;
  #lines: string[] = [];
  /** Of the next record; a member without one is left out. */
  #heading: string | null = null;

  constructor(json: Uint8Array, add: Sink) {
    this.#cursor = new JsonCursor(json);
    this.#add = add;
  }

  read(): void {
    if (this.#isAt(OPEN_OBJECT)) this.#members();
    else this.#group();
    this.#endRecord();
  }

  /** Values come first, since they stand under no heading. */
  #members(): void {
    const groups: { readonly name: string; readonly at: number }[] = [];
    const cursor = this.#cursor;
    cursor.enter();
    while (cursor.nextMember()) {
      const name = cursor.name();
      if (this.#isScalar()) this.#leaf(name);
      else {
        groups.push({ name, at: cursor.at });
        cursor.skip();
      }
    }
    this.#endRecord();
    for (const { name, at } of groups) {
      this.#heading = name;
      this.#cursor = new JsonCursor(cursor.bytes, at);
      this.#group();
    }
  }

  /** The value at hand: each element of an array is a record, anything else is one. */
  #group(): void {
    const cursor = this.#cursor;
    if (this.#isAt(OPEN_ARRAY)) {
      cursor.enter();
      while (cursor.nextElement()) {
        const scalar = this.#isScalar();
        if (!scalar) this.#endRecord();
        this.#leaves('');
        if (!scalar) this.#endRecord();
      }
    } else {
      this.#leaves('');
    }
    this.#endRecord();
  }

  /** As deep as the text is nested, which is limited. */
  #leaves(path: string): void {
    const cursor = this.#cursor;
    if (this.#isAt(OPEN_OBJECT)) {
      cursor.enter();
      while (cursor.nextMember()) {
        const name = cursor.name();
        this.#leaves(pathTo(path, path === '' ? name : `.${name}`));
      }
    } else if (this.#isAt(OPEN_ARRAY)) {
      cursor.enter();
      const values: string[] = [];
      for (let index = 0; cursor.nextElement(); index++) {
        if (this.#isScalar()) values.push(this.#scalar());
        else this.#leaves(pathTo(path, `[${index}]`));
      }
      this.#line(path, values.filter((value) => value !== '').join(', '));
    } else {
      this.#leaf(path);
    }
  }

  #leaf(path: string): void {
    this.#line(path, this.#scalar());
  }

  #line(path: string, value: string): void {
    if (value.trim() === '') return;
    this.#lines.push(path === '' ? value : `${path}: ${value}`);
    if (this.#lines.length === MAX_LINES) this.#endRecord();
  }

  #endRecord(): void {
    if (this.#lines.length === 0) return;
    if (this.#heading !== null) this.#add({ kind: 'heading', level: 1, text: this.#heading });
    this.#add({ kind: 'list', items: this.#lines });
    this.#heading = null;
    this.#lines = [];
  }

  /** As text; null says nothing that anybody would look for. */
  #scalar(): string {
    const cursor = this.#cursor;
    const isString = this.#isAt(QUOTE);
    const start = cursor.at;
    cursor.skip();
    const written = textAt(cursor.bytes, start, cursor.at);
    if (isString) return JSON.parse(written) as string;
    return written === 'null' ? '' : written;
  }

  #isScalar(): boolean {
    return !this.#isAt(OPEN_OBJECT) && !this.#isAt(OPEN_ARRAY);
  }

  #isAt(byte: number): boolean {
    return this.#cursor.bytes[this.#cursor.at] === byte;
  }
}

function pathTo(path: string, step: string): string {
  if (path.length + step.length <= MAX_PATH) return path + step;
  return `${path.replace(/…$/, '')}${step}`.slice(0, MAX_PATH).toWellFormed().concat('…');
}

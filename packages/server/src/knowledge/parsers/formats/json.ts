import {
  findSyntaxError,
  JsonCursor,
  measureJson,
  TOO_DEEP,
  textAt,
} from '../../../lib/json/index.ts';
import { ExtractionError, formatNumber } from '../extraction-error.ts';
import { MAX_JSON_DEPTH } from '../limits.ts';
import type { AddBlock, Block } from '../passages/block.ts';
import { decodeText, NO_PROPERTIES, type Parser } from './parser.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const QUOTE = 0x22;
const MAX_LINES = 500;
/** Maximum members of a record that becomes a row. An answer shows at most eight columns of a table. */
const MAX_CELLS = 8;
/** Maximum length of a value in a row. */
const MAX_CELL = 80;
const ENDS_SENTENCE = /\p{STerm}$/u;
/** Maximum length of a path. Longer paths are truncated. */
const MAX_PATH = 300;

/**
 * Parses each leaf to a line `path: value`. A member of the outermost object becomes a heading if its value is an object or an
 * array. Each element of such an array is a record. A record with a few short values becomes a row, so that an answer that quotes one
 * value shows all of them. The lines of other records stay together.
 *
 * The parser reads the bytes without building objects, so numbers keep all digits, duplicate members are kept, and deep nesting
 * costs no memory.
 */
export const parse: Parser = (bytes, add) => {
  const text = decodeText(bytes);
  const json = Buffer.from(text);
  if (measureJson(json, MAX_JSON_DEPTH) === TOO_DEEP) {
    const limit = formatNumber(MAX_JSON_DEPTH);
    throw new ExtractionError('too-complex', `The JSON is nested deeper than ${limit} levels.`);
  }
  const error = findSyntaxError(text);
  if (error !== null) {
    const { line, column, expected } = error;
    throw new ExtractionError(
      'corrupt',
      `The file is not valid JSON: line ${line}, column ${column}: ${expected}.`,
    );
  }
  new Records(json, add).addAll();
  return NO_PROPERTIES;
};

interface Line {
  /** Empty for an element of an array. */
  readonly path: string;
  readonly value: string;
}

class Records {
  #cursor: JsonCursor;
  readonly #add: AddBlock;
  #lines: Line[] = [];
  /** Heading to add before the next record. A member without records gets no heading. */
  #heading: string | null = null;

  constructor(json: Uint8Array, add: AddBlock) {
    this.#cursor = new JsonCursor(json);
    this.#add = add;
  }

  addAll(): void {
    if (this.#isAt(OPEN_OBJECT)) this.#members();
    else this.#group();
    this.#endRecord();
  }

  /** Adds scalar members first, because scalar members have no heading. */
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

  /** Adds the current value. Each element of an array is a record; any other value is one record. */
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

  /** Recurses over the current value. `MAX_JSON_DEPTH` limits the recursion. */
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
    this.#lines.push({ path, value });
    if (this.#lines.length === MAX_LINES) this.#endRecord();
  }

  #endRecord(): void {
    if (this.#lines.length === 0) return;
    if (this.#heading !== null) this.#add({ kind: 'heading', level: 1, text: this.#heading });
    this.#add(blockOf(this.#lines));
    this.#heading = null;
    this.#lines = [];
  }

  /** Returns a scalar as text. `null` becomes an empty string. */
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

function blockOf(lines: readonly Line[]): Block {
  if (lines.length <= MAX_CELLS && lines.every(isCell))
    return {
      kind: 'row',
      header: lines.map(({ path }) => path),
      cells: lines.map(({ value }) => value),
    };
  const items = lines.map(({ path, value }) => (path === '' ? value : `${path}: ${value}`));
  return { kind: 'list', items };
}

/** Reports whether a value is short. Sentences remain lines, because each of them can be an answer. */
function isCell({ path, value }: Line): boolean {
  return (
    path !== '' &&
    value.length <= MAX_CELL &&
    !/\n| \| /.test(value) &&
    !ENDS_SENTENCE.test(value.trim())
  );
}

function pathTo(path: string, step: string): string {
  if (path.length + step.length <= MAX_PATH) return path + step;
  return `${path.replace(/…$/, '')}${step}`.slice(0, MAX_PATH).toWellFormed().concat('…');
}

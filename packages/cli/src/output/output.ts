import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { type Failure, problemsBeyondMessage } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';
import { cell, columns, escapeControls, printable, toJson } from './text.ts';

type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow';
export type Column<T> = readonly [heading: string, value: (item: T) => unknown];

/** Number of rows that are formatted together. */
const ROWS = 100;

/** Results on standard output, messages on standard error. With `--json`, results are JSON. */
export class Output {
  readonly json: boolean;
  /** `true`: if standard output is closed, the command continues, and its exit code tells the result. `false`: the command ends with exit code 0. */
  continuesWhenClosed = false;
  readonly #shell: Pick<Shell, 'env' | 'stdout' | 'stderr'>;
  #progress: Progress | undefined;

  constructor(shell: Pick<Shell, 'env' | 'stdout' | 'stderr'>, json: boolean) {
    this.#shell = shell;
    this.json = json;
  }

  /** Prints one result: a JSON document, or lines. */
  result(value: unknown, lines: () => readonly string[]): void {
    this.#write(this.json ? [toJson(value, 2)] : lines());
  }

  /** Prints one of several results: a line of JSON, or a line of text. */
  line(value: unknown, text: () => string): void {
    this.#write([this.json ? toJson(value) : text()]);
  }

  /** Prints one of several results, whose JSON text is given. */
  exactLine(json: () => string, text: () => string): void {
    this.#write([this.json ? escapeControls(json()) : text()]);
  }

  /** Prints part of a result as it arrives. Prints nothing with `--json`. */
  part(text: string): void {
    if (!this.json) this.#shell.stdout.write(printable(text));
  }

  /** Prints members of an object, one per line. */
  members(value: object): void {
    this.result(value, () =>
      columns(Object.entries(value).map(([name, member]) => [`${name}:`, cell(member)])),
    );
  }

  /** Prints items as a table, or as lines of JSON. */
  async table<T>(
    items: AsyncIterable<T> | Iterable<T>,
    shown: readonly Column<T>[],
  ): Promise<void> {
    let rows: string[][] = [shown.map(([heading]) => heading)];
    for await (const item of items) {
      if (this.json) this.line(item, () => '');
      else rows.push(shown.map(([, value]) => cell(value(item))));
      if (rows.length > ROWS) rows = this.#flush(rows);
    }
    if (!this.json) this.#flush(rows);
  }

  #flush(rows: string[][]): string[][] {
    this.#write(columns(rows));
    return [];
  }

  /** Prints a message for people on standard error. */
  note(text: string): void {
    this.#aside(`${printable(text)}\n`);
  }

  fail(failure: Failure): void {
    const { message, code, issues, requestId } = failure;
    if (this.json) {
      this.#aside(`${toJson({ error: { code, message, issues, requestId } })}\n`);
      return;
    }
    const label = this.paint('red', 'gatehouse:', this.#shell.stderr);
    const lines = [`${label} ${printable(message)}`];
    for (const problem of problemsBeyondMessage(failure)) lines.push(`  - ${printable(problem)}`);
    if (requestId !== undefined) lines.push(`  (${code}, request ${requestId})`);
    this.#aside(`${lines.join('\n')}\n`);
  }

  /** Colours text if the stream is a terminal and neither `NO_COLOR` nor `TERM=dumb` is set. */
  paint(colour: Colour, text: string, stream: WriteStream = this.#shell.stdout): string {
    const isColoured = this.#hasCursor(stream) && !this.#shell.env['NO_COLOR'];
    return isColoured ? styleText(colour, text, { validateStream: false }) : text;
  }

  /** Starts a progress bar on standard error. It is shown only on a terminal. */
  progress(total: number): Progress {
    const { stderr } = this.#shell;
    this.#progress = new Progress(stderr, total, this.#hasCursor(stderr));
    return this.#progress;
  }

  /** Reports whether a stream is a terminal that understands control sequences. */
  #hasCursor(stream: WriteStream): boolean {
    return stream.isTTY && this.#shell.env['TERM'] !== 'dumb';
  }

  #write(lines: readonly string[]): void {
    this.#progress?.clear();
    if (lines.length > 0) this.#shell.stdout.write(`${lines.join('\n')}\n`);
    this.#progress?.draw();
  }

  #aside(text: string): void {
    this.#progress?.clear();
    this.#shell.stderr.write(text);
    this.#progress?.draw();
  }
}

const WIDTH = 30;
const COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';

/** A progress bar. */
class Progress {
  readonly #stream: WriteStream;
  readonly #total: number;
  #done = 0;
  #label = '';
  #isShown: boolean;

  constructor(stream: WriteStream, total: number, isShown: boolean) {
    this.#stream = stream;
    this.#total = total;
    this.#isShown = isShown;
  }

  advance(label: string): void {
    this.#done++;
    this.#label = label;
    this.draw();
  }

  clear(): void {
    if (this.#isShown) this.#stream.write(CLEAR_LINE);
  }

  draw(): void {
    if (!this.#isShown) return;
    const filled = this.#total === 0 ? WIDTH : Math.round((this.#done / this.#total) * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const text = `${bar} ${this.#done}/${this.#total} ${this.#label}`;
    const shown = text.slice(0, (this.#stream.columns || COLUMNS) - 1);
    // A line that wraps could not be removed. Some characters, such as Chinese ones, take two columns.
    this.#stream.write(CLEAR_LINE + WRAP_OFF + shown + WRAP_ON);
  }

  /** Removes the bar. */
  end(): void {
    this.clear();
    this.#isShown = false;
  }
}

import { CsvError } from 'csv-parse';
import { parse as parseCsv } from 'csv-parse/sync';
import { ExtractionError, formatBytes } from '../extraction-error.ts';
import { MAX_CSV_RECORD } from '../limits.ts';
import type { AddBlock } from '../passages/block.ts';
import { decodeText, NO_PROPERTIES, type Parser } from './parser.ts';

const CANDIDATES = [',', ';', '\t', '|'] as const;
/** Maximum lines and characters of the sample for detecting the delimiter. */
const SAMPLE_LINES = 20;
const SAMPLE_LENGTH = 50_000;
/** A number, an amount or a date, which is rarely the name of a column. */
const VALUE = /^[-+\d\s.,:/%€$£]+$/;

/** Maximum records above the header that contain only a title or a note, in their first cell. */
const MAX_TITLES = 5;

/**
 * Parses each record to a row. The first record names the columns unless it contains values. Records above a header that have text only in
 * their first cell become a heading and paragraphs.
 */
export const parse: Parser = (bytes, add) => {
  const { delimiter, body } = delimiterOf(decodeText(bytes));
  const rows = new Rows(add);
  try {
    parseCsv(body, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_CSV_RECORD,
      on_record: (record: string[]) => {
        rows.add(record);
        // Prevents the library from collecting the records.
        return null;
      },
    });
    rows.end();
  } catch (error) {
    throw error instanceof CsvError ? toExtractionError(error) : error;
  }
  return NO_PROPERTIES;
};

class Rows {
  readonly #add: AddBlock;
  #header: readonly string[] | null = null;
  #count = 0;
  /** First records, which may be titles and the header below them. */
  #titles: (readonly string[])[] = [];

  constructor(add: AddBlock) {
    this.#add = add;
  }

  add(cells: readonly string[]): void {
    if (this.#header === null) {
      if (cells.every((cell) => cell.trim() === '')) return;
      const count = this.#titles.length;
      const last = this.#titles.at(-1);
      const hasHeader = last !== undefined && !isTitle(last);
      const isNext = isTitle(cells) ? count < MAX_TITLES : count > 0 && isHeader(cells);
      if (isNext && !hasHeader) {
        this.#titles.push(cells);
        return;
      }
      this.#endTitles(hasHeader && !isTitle(cells));
    }
    this.#addRecord(cells);
  }

  /** Adds a header without rows as a row. */
  end(): void {
    this.#endTitles(false);
    if (this.#count === 0 && this.#header !== null)
      this.#add({ kind: 'row', header: [], cells: this.#header });
  }

  /** @param areTitles `false`: the records are rows, as in a file with one column and a comma in a text. */
  #endTitles(areTitles: boolean): void {
    const records = this.#titles;
    this.#titles = [];
    for (const [index, record] of records.entries()) {
      const text = record[0] ?? '';
      if (!areTitles || !isTitle(record)) this.#addRecord(record);
      else if (index === 0) this.#add({ kind: 'heading', level: 1, text });
      else this.#add({ kind: 'paragraph', text });
    }
  }

  #addRecord(cells: readonly string[]): void {
    if (this.#header === null && isHeader(cells)) {
      this.#header = cells;
      return;
    }
    this.#header ??= [];
    this.#count++;
    this.#add({ kind: 'row', header: this.#header, cells });
  }
}

/** Reports whether a record has text only in its first cell. */
function isTitle([first = '', ...others]: readonly string[]): boolean {
  return first.trim() !== '' && others.every((cell) => cell.trim() === '');
}

function isHeader(record: readonly string[]): boolean {
  return record.some((cell) => cell.trim() !== '') && !record.some((cell) => VALUE.test(cell));
}

function toExtractionError(error: CsvError): ExtractionError {
  const line = Number(error['lines']);
  const at = Number.isFinite(line) ? ` (line ${line})` : '';
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new ExtractionError('corrupt', `A quote (") is never closed${at}.`);
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return new ExtractionError(
      'corrupt',
      `A record is larger than ${formatBytes(MAX_CSV_RECORD)}${at}; check for an unclosed quote (").`,
    );
  return new ExtractionError('corrupt', `The file is not valid CSV${at}.`);
}

/**
 * Detects the delimiter. Excel declares it in a first line `sep=;`, which is removed. Otherwise the delimiter is the candidate
 * with which the most lines of a sample have the same number of cells. The default is a comma.
 */
function delimiterOf(text: string): { delimiter: string; body: string } {
  const named = /^sep=(.)\r?\n/i.exec(text);
  if (named?.[1] !== undefined) return { delimiter: named[1], body: text.slice(named[0].length) };
  const lines = sampleOf(text);
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of CANDIDATES) {
    const score = scoreOf(lines.map((line) => line.split(delimiter).length - 1));
    if (score > best.score) best = { delimiter, score };
  }
  return { delimiter: best.delimiter, body: text };
}

/** Returns the first lines. Omits quoted text and a truncated last line. */
function sampleOf(text: string): string[] {
  const sample = text.slice(0, SAMPLE_LENGTH).replace(/"[^"]*"/g, '');
  const lines = sample.split(/\r?\n/, SAMPLE_LINES + 1).filter((line) => line !== '');
  return lines.length > 1 && text.length > SAMPLE_LENGTH ? lines.slice(0, -1) : lines;
}

/**
 * Scores a delimiter by the number of lines that contain it equally often. The first two such lines in a row start the table, because a title
 * above it may contain other delimiters or none. For equal results, more delimiters per line score higher.
 */
function scoreOf(counts: readonly number[]): number {
  const start = counts.findIndex((count, line) => count > 0 && count === counts[line + 1]);
  const table = counts.slice(Math.max(0, start));
  const [first = 0] = table;
  if (first === 0) return 0;
  return table.filter((count) => count === first).length * 1000 + Math.min(first, 999);
}

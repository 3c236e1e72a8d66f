import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { MAX_CSV_RECORD } from '../limits.ts';
import type { Sink } from '../passages/block.ts';
import { Refusal, shownBytes } from '../refusal.ts';
import { delimiterOf } from './csv/delimiter.ts';
import { decodeText } from './decode-text.ts';
import { NO_FACTS, type Parser } from './parser.ts';

/** What a column is hardly ever called: a number, an amount, a date. */
const VALUE = /^[-+\d\s.,:/%€$£]+$/;

/** Each record is a row; the first one names the columns, unless it holds values. */
export const read: Parser = (bytes, add) => {
  const { delimiter, body } = delimiterOf(decodeText(bytes));
  const give = rowsTo(add);
  try {
    parse(body, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: MAX_CSV_RECORD,
      // Records are given on one by one and not kept.
      on_record: (record: string[]) => {
        give(record);
        return null;
      },
    });
    give(null);
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error) : error;
  }
  return NO_FACTS;
};

/** Takes the records, then null. */
function rowsTo(add: Sink): (record: readonly string[] | null) => void {
  let header: readonly string[] | null = null;
  let rows = 0;
  return (record) => {
    if (record === null) {
      if (rows === 0 && header !== null) add({ kind: 'row', header: [], cells: header });
      return;
    }
    if (header === null && isHeader(record)) {
      header = record;
      return;
    }
    header ??= [];
    rows++;
    add({ kind: 'row', header, cells: record });
  };
}

function isHeader(record: readonly string[]): boolean {
  return record.some((cell) => cell.trim() !== '') && !record.some((cell) => VALUE.test(cell));
}

function refusalOf(error: CsvError): Refusal {
  const line = Number(error['lines']);
  const at = Number.isFinite(line) ? ` (line ${line})` : '';
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new Refusal('corrupt', `A quote (") is opened and never closed${at}.`);
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return new Refusal(
      'corrupt',
      `A record is larger than ${shownBytes(MAX_CSV_RECORD)}${at}; a quote (") may not be closed.`,
    );
  return new Refusal('corrupt', `The file cannot be read as CSV${at}.`);
}

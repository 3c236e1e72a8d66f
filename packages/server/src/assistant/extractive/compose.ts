import { highlight, type Query } from '../../lib/text/index.ts';
import type { AnswerPart, SourcePassage } from '../answerer.ts';
import type { Piece, Quote } from './choose.ts';
import { tableOf } from './table.ts';

/** Maximum length of a piece in UTF-16 code units. A longer piece is reduced to the part that matches the query. */
const MAX_PIECE_LENGTH = 320;
/** A sentence end after which no space is needed. */
const ENDS_WITHOUT_SPACE = /[。！？｡：]$/;

/** Formats the quotes as Markdown: a paragraph for a single quote, otherwise a list. Table rows become a table. */
export function* compose(quotes: readonly Quote[], query: Query): Generator<AnswerPart> {
  const [first, next] = quotes.length > 1 ? ['- ', '  - '] : ['', '- '];
  yield text('\n');
  for (const [index, { passage, pieces }] of quotes.entries()) {
    const number = index + 1;
    const sentences = pieces.filter(({ isItem, isRow }) => !isItem && !isRow);
    const items = pieces.filter(({ isItem }) => isItem).map((piece) => excerpt(piece, query));
    const rows = pieces.filter(({ isRow, isItem }) => isRow && !isItem);
    if (sentences.length > 0)
      yield text(`\n${first}${joinSentences(sentences, query)} [${number}]`);
    else if (items.length > 0) yield text(`\n${first}${titleOf(passage)} [${number}]`);
    for (const item of items) yield text(`\n${next}${item}`);
    const source = sentences.length > 0 ? null : { title: titleOf(passage), number };
    if (rows.length > 0) yield* tableParts(rows, source, query);
    yield { kind: 'source', number, passage };
  }
}

function titleOf({ heading, fileName }: SourcePassage): string {
  return escapeMarkdown(heading ?? fileName);
}

/**
 * Formats rows with column names as a table, and other rows as lines.
 *
 * @param source title and number of the passage, or `null` if they are already shown.
 */
function* tableParts(
  rows: readonly Piece[],
  source: { readonly title: string; readonly number: number } | null,
  query: Query,
) {
  const citation = source === null ? '' : ` [${source.number}]`;
  const table = tableOf(rows.map((row) => row.text));
  if (table === null) {
    for (const [at, row] of rows.entries()) {
      const line = excerpt({ ...row, text: row.text.replaceAll(' | ', ', ') }, query);
      yield text(`\n- ${line}${at === 0 ? citation : ''}`);
    }
    return;
  }
  const cells = (row: readonly string[]) =>
    `\n| ${row.map((cell) => excerptOf(cell, query, escapeInline).replaceAll('|', '\\|')).join(' | ')} |`;
  yield text(source === null ? '\n' : `\n${source.title}${citation}\n`);
  yield text(`${cells(table.columns)}\n|${'---|'.repeat(table.columns.length)}`);
  for (const row of table.rows) yield text(cells(row));
}

function joinSentences(pieces: readonly Piece[], query: Query): string {
  let all = '';
  for (const piece of pieces) {
    const gap = piece.isAdjacent ? (ENDS_WITHOUT_SPACE.test(all) ? '' : ' ') : ' … ';
    all += all === '' ? excerpt(piece, query) : gap + excerpt(piece, query);
  }
  return all;
}

function excerpt({ text: full }: Pick<Piece, 'text'>, query: Query): string {
  return excerptOf(full, query);
}

function excerptOf(full: string, query: Query, escapeText = escapeMarkdown): string {
  if (full.length <= MAX_PIECE_LENGTH) return escapeText(full);
  const { snippet, start } = highlight(full, query, MAX_PIECE_LENGTH);
  const before = start > 0 ? '… ' : '';
  const after = start + snippet.length < full.length ? ' …' : '';
  return before + escapeText(snippet) + after;
}

function text(content: string): AnswerPart {
  return { kind: 'text', text: content };
}

/** Characters with a meaning in Markdown: code, emphasis, links, images, HTML, character references. */
const SPECIAL = /[\\`*[\]<>~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** Starts of headings, lists and thematic breaks. */
const SPECIAL_AT_START = /^(?:[#+=-]|\d{1,9}(?=[.)]))/;

/** Escapes a line of text, so that Markdown renders it literally. */
export function escapeMarkdown(line: string): string {
  return escapeInline(line).replace(SPECIAL_AT_START, (mark) =>
    /\d/.test(mark) ? `${mark}\\` : `\\${mark}`,
  );
}

/** Escapes a text that does not start a line. */
function escapeInline(content: string): string {
  return content.replace(SPECIAL, '\\$&');
}

import type { Block } from '../passages/block.ts';
import type { Cell, Line } from './pdf-lines.ts';

/** Maximum distance of the positions of two cells in a column, in points. */
const SAME_POSITION = 2;
/** Maximum gap between two rows, relative to their height. */
const MAX_ROW_GAP = 4;
/** A line that continues a cell is nearer to its row than the next row, by this factor. */
const NEARER = 0.9;
/** A line with more cells is not a row of an ordinary table. */
const MAX_CELLS = 50;
const NUMBER = /\p{N}/u;
const MARKER = /^(?:\p{N}{1,3}[.)]?|\p{L}[.)]|[^\p{L}\p{N}])$/u;

/** Rows of a table, or lines of other text. */
export type Section =
  | { readonly kind: 'table'; readonly rows: readonly Block[] }
  | { readonly kind: 'lines'; readonly lines: readonly Line[] };

/**
 * Divides the lines of a page into tables and other text. A table has at least two consecutive rows whose cells are separated by wide gaps and
 * share a column.
 */
export function sectionsOf(lines: readonly Line[]): Section[] {
  const sections: Section[] = [];
  let others: Line[] = [];
  let at = 0;
  while (at < lines.length) {
    let end = at + 1;
    while (end < lines.length && areRows(lines[end - 1] as Line, lines[end] as Line)) end++;
    if (end - at === 1) {
      others.push(lines[at] as Line);
    } else {
      if (others.length > 0) sections.push({ kind: 'lines', lines: others });
      others = [];
      const { rows, next } = rowsOf(lines, at, end);
      sections.push({ kind: 'table', rows });
      end = next;
    }
    at = end;
  }
  return others.length > 0 ? [...sections, { kind: 'lines', lines: others }] : sections;
}

function areRows(one: Line, next: Line): boolean {
  const gap = one.y - next.y;
  if (!isRow(one) || !isRow(next) || gap <= 0) return false;
  if (gap > MAX_ROW_GAP * Math.max(one.height, next.height)) return false;
  const others = next.cells.slice(1);
  const shared = one.cells
    .slice(1)
    .filter((cell) => others.some((other) => areInColumn(cell, other))).length;
  // Lines of justified text share a column only by chance.
  if (isJustified(one) || isJustified(next))
    return one.cells.length === next.cells.length && shared === others.length;
  return shared > 0;
}

/** Reports whether a line can be justified text, because its gaps are equal. */
function isJustified({ cells }: Line): boolean {
  if (cells.length < 3) return false;
  const gaps = cells.slice(1).map(({ start }, index) => start - (cells[index] as Cell).end);
  return Math.max(...gaps) - Math.min(...gaps) <= SAME_POSITION;
}

/** Reports whether a line has several cells. An item of a list has two, its marker and its text, but is no row. */
function isRow({ cells }: Line): boolean {
  if (cells.length > MAX_CELLS) return false;
  return cells.length > 2 || (cells.length === 2 && !MARKER.test(cells[0]?.text ?? ''));
}

/** Reports whether two cells have the same left edge, or contain numbers and have the same right edge or centre. */
function areInColumn(one: Cell, other: Cell): boolean {
  const start = Math.abs(one.start - other.start);
  const end = Math.abs(one.end - other.end);
  if (start <= SAME_POSITION) return true;
  // The right edges of justified text are equal too.
  if (!NUMBER.test(one.text) || !NUMBER.test(other.text)) return false;
  return end <= SAME_POSITION || Math.abs(start - end) <= SAME_POSITION;
}

/** Returns the rows of a table, with the lines below the last row that continue one of its cells, and the index after them. */
function rowsOf(lines: readonly Line[], start: number, end: number) {
  const table = lines.slice(start, end);
  const rows = table.map(({ cells }) => cells.map(({ text }) => text));
  const gaps = table.slice(1).map(({ y }, index) => (table[index] as Line).y - y);
  const pitch = Math.min(...gaps);
  const columns = table.at(-1)?.cells ?? [];
  let next = end;
  for (; next < lines.length; next++) {
    const [line, before] = [lines[next] as Line, lines[next - 1] as Line];
    const [cell] = line.cells;
    const gap = before.y - line.y;
    if (cell === undefined || line.cells.length > 1 || gap <= 0 || gap >= pitch * NEARER) break;
    const column = columns.findIndex((other) => areInColumn(other, cell));
    const row = rows.at(-1);
    if (column < 0 || row === undefined) break;
    row[column] = `${row[column]} ${line.text}`;
  }
  return { rows: rows.map((cells): Block => ({ kind: 'row', header: [], cells })), next };
}

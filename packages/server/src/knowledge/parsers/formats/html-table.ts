import type { AddBlock } from '../passages/block.ts';
import { normaliseLine } from '../passages/normalise.ts';

interface Cell {
  text: string;
  readonly heads: boolean;
  readonly columns: number;
  readonly rows: number;
  /** `true` if the cell contains text that is not bold. */
  plain: boolean;
}

/** A column of a row. */
interface Column {
  readonly text: string;
  /** `true` if the column continues the cell of the column before. */
  readonly isContinued: boolean;
}

/** Maximum column at which `colspan` has an effect. */
const MAX_COLUMNS = 1000;
/** Maximum rows of a header. */
const MAX_LEVELS = 4;

/**
 * Collects the rows of one table. The header is a row of header cells, or a first row in which all text is bold, as is common
 * in Word files. Further header rows belong to the same header in `thead` or below a cell that spans rows or columns. The text of
 * a cell that spans rows is repeated in each row. A row of a single cell is the title of the rows below.
 */
export class OpenTable {
  readonly #add: AddBlock;
  #header: readonly string[] = [];
  /** Header rows without a row of values below. */
  #levels: (readonly Column[])[] = [];
  /** `true` if the next header row belongs to the same header. */
  #isHeaderOpen = false;
  #hasValues = false;
  #cells: Cell[] = [];
  #inHead = false;
  /** Number of remaining rows of each cell that spans rows, by column. */
  readonly #spans = new Map<number, Column & { left: number }>();

  constructor(add: AddBlock) {
    this.#add = add;
  }

  head(inHead: boolean): void {
    this.#inHead = inHead;
  }

  cell(shape: Pick<Cell, 'heads' | 'columns' | 'rows'>): void {
    this.#cells.push({ ...shape, heads: shape.heads || this.#inHead, text: '', plain: false });
  }

  /** Adds text to the current cell. Text outside a cell, such as the caption, becomes a paragraph. */
  text(run: string): void {
    const cell = this.#cells.at(-1);
    if (cell === undefined) this.#add({ kind: 'paragraph', text: run });
    else cell.text += `${cell.text === '' ? '' : ' '}${run}`;
  }

  plainText(): void {
    const cell = this.#cells.at(-1);
    if (cell !== undefined) cell.plain = true;
  }

  endRow(): void {
    const cells = this.#cells;
    if (cells.length === 0) return;
    this.#cells = [];
    const [first] = cells;
    if (first !== undefined && first.columns > 1 && cells.length === 1 && this.#spans.size === 0) {
      this.#add({ kind: 'paragraph', text: first.text });
      return;
    }
    const columns = this.#spread(cells);
    const isHeader = cells.every((cell) => cell.heads) || (!this.#hasValues && isBoldHeader(cells));
    const isInHeader = this.#levels.length === 0 || this.#isHeaderOpen;
    if (isHeader && isInHeader && this.#levels.length < MAX_LEVELS) {
      this.#levels.push(columns);
      this.#isHeaderOpen = this.#inHead || cells.some((cell) => cell.columns > 1 || cell.rows > 1);
      return;
    }
    if (this.#levels.length > 0) this.#header = labelsOf(this.#levels);
    this.#levels = [];
    this.#addRow(columns);
  }

  #addRow(columns: readonly Column[]): void {
    this.#hasValues = true;
    const cells = columns.map(({ text, isContinued }) => (isContinued ? '' : text));
    this.#add({ kind: 'row', header: this.#header, cells });
  }

  /** Converts the cells of the current row to paragraphs. Called for tables that are only page layout. */
  dissolve(): void {
    for (const { text } of this.#cells) this.#add({ kind: 'paragraph', text });
    this.#cells = [];
    this.end();
  }

  /** Adds the last row. Header cells without rows below, such as totals, become rows. */
  end(): void {
    this.endRow();
    for (const columns of this.#levels) this.#addRow(columns);
    this.#levels = [];
  }

  /** Returns the columns of a row, including cells that span from rows above. */
  #spread(cells: readonly Cell[]): Column[] {
    const row: Column[] = [];
    const fromAbove = () => {
      for (let span = this.#spans.get(row.length); span; span = this.#spans.get(row.length)) {
        span.left--;
        if (span.left === 0) this.#spans.delete(row.length);
        row.push(span);
      }
    };
    for (const { text, columns, rows } of cells) {
      fromAbove();
      const line = normaliseLine(text);
      const width = row.length < MAX_COLUMNS ? columns : 1;
      for (let at = 0; at < width; at++) {
        const column = { text: line, isContinued: at > 0 };
        if (rows > 1) this.#spans.set(row.length, { ...column, left: rows - 1 });
        row.push(column);
      }
    }
    fromAbove();
    return row;
  }
}

/** Returns the name of each column, such as `Price › EU`. */
function labelsOf(levels: readonly (readonly Column[])[]): string[] {
  const width = Math.max(...levels.map((columns) => columns.length));
  return Array.from({ length: width }, (_, at) => {
    const names = new Set(levels.map((columns) => columns[at]?.text ?? ''));
    names.delete('');
    return [...names].join(' › ');
  });
}

function isBoldHeader(cells: readonly Cell[]): boolean {
  return cells.length > 1 && cells.every(({ text, plain }) => !plain && text.trim() !== '');
}

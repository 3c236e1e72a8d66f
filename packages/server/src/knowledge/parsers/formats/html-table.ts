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

/** Maximum column at which `colspan` has an effect. */
const MAX_COLUMNS = 1000;

/**
 * Collects the rows of one table. The header is a row of header cells, or a first row in which all text is bold, as is common
 * in Word files. The text of a cell that spans rows is repeated in each row.
 */
export class OpenTable {
  readonly #add: AddBlock;
  #header: readonly string[] = [];
  #rows = 0;
  #cells: Cell[] = [];
  #inHead = false;
  /** Text and number of remaining rows of each cell that spans rows, by column. */
  readonly #spans = new Map<number, { readonly text: string; left: number }>();

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
    const texts = this.#spread(cells);
    const first = this.#rows++ === 0;
    if (cells.every((cell) => cell.heads) || (first && isBoldHeader(cells))) this.#header = texts;
    else this.#add({ kind: 'row', header: this.#header, cells: texts });
  }

  /** Converts the cells of the current row to paragraphs. Called for tables that are only page layout. */
  dissolve(): void {
    for (const { text } of this.#cells) this.#add({ kind: 'paragraph', text });
    this.#cells = [];
    this.end();
  }

  /** Adds the last row. A header without rows becomes a row. */
  end(): void {
    this.endRow();
    if (this.#rows === 1 && this.#header.length > 0)
      this.#add({ kind: 'row', header: [], cells: this.#header });
  }

  /** Returns the texts of a row by column, including cells that span from rows above. */
  #spread(cells: readonly Cell[]): string[] {
    const texts: string[] = [];
    const fromAbove = () => {
      for (let span = this.#spans.get(texts.length); span; span = this.#spans.get(texts.length)) {
        span.left--;
        if (span.left === 0) this.#spans.delete(texts.length);
        texts.push(span.text);
      }
    };
    for (const { text, columns, rows } of cells) {
      fromAbove();
      const line = normaliseLine(text);
      const width = texts.length < MAX_COLUMNS ? columns : 1;
      for (let column = 0; column < width; column++) {
        const own = column === 0 ? line : '';
        if (rows > 1) this.#spans.set(texts.length, { text: own, left: rows - 1 });
        texts.push(own);
      }
    }
    fromAbove();
    return texts;
  }
}

function isBoldHeader(cells: readonly Cell[]): boolean {
  return cells.length > 1 && cells.every(({ text, plain }) => !plain && text.trim() !== '');
}

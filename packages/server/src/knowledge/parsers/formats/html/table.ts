import type { Sink } from '../../passages/block.ts';
import { tidyLine } from '../../passages/tidy.ts';

interface Cell {
  text: string;
  readonly heads: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Whether it has text that is not bold. */
  plain: boolean;
}

/** In a row with more columns than this, no further cell spans any. */
const MAX_COLUMNS = 1000;

/**
 * One table on its way from events to rows. Its header is a row of header cells, or a first row that is
 * bold throughout, as people mark it in Word. Cells that span others stand in each of their rows.
 */
export class OpenTable {
  readonly #add: Sink;
  #header: readonly string[] = [];
  #rows = 0;
  #cells: Cell[] = [];
  #inHead = false;
  /** By column: a text that spans down, and into how many more rows. */
  readonly #spans = new Map<number, { readonly text: string; left: number }>();

  constructor(add: Sink) {
    this.#add = add;
  }

  head(inHead: boolean): void {
    this.#inHead = inHead;
  }

  cell(shape: Pick<Cell, 'heads' | 'columns' | 'rows'>): void {
    this.#cells.push({ ...shape, heads: shape.heads || this.#inHead, text: '', plain: false });
  }

  /** Text of the cell at hand; outside any cell it is a paragraph, such as the caption. */
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

  /** It lays out a page: what its cells hold so far are paragraphs. */
  dissolve(): void {
    for (const { text } of this.#cells) this.#add({ kind: 'paragraph', text });
    this.#cells = [];
    this.end();
  }

  /** A header without rows is still text. */
  end(): void {
    this.endRow();
    if (this.#rows === 1 && this.#header.length > 0)
      this.#add({ kind: 'row', header: [], cells: this.#header });
  }

  /** Puts each text into its columns, and those that span down from above into theirs. */
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
      const line = tidyLine(text);
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

import { sentencesOf } from '../../../lib/text/index.ts';
import { cutAtSpaces } from './cut-at-spaces.ts';
import { normalise, normaliseLine, normaliseLines } from './normalise.ts';

/** An element of a document, independent of the file format. Parsers add the blocks of a document in order. */
export type Block =
  /** Applies to the following blocks until a heading of the same or a higher level. 1 is the highest level. */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** Start of a page in a format without headings. */
  | { readonly kind: 'page'; readonly number: number }
  /** Running text. Line breaks in it are intended. */
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Lines that stay together if possible: items with their markers and indents, or lines of a record. */
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly text: string }
  /** A row of a table. `header` is empty if the table has no header. */
  | {
      readonly kind: 'row';
      readonly header: readonly string[];
      readonly cells: readonly string[];
    };

/** Adds the next block of a document. Throws an `ExtractionError` if there are too many. */
export type AddBlock = (block: Block) => void;

export interface TextBlock {
  readonly text: string;
  /** Splits the text into pieces of at most `maxSize` at boundaries that suit the kind of block, such as sentences or items. */
  readonly split: (maxSize: number) => readonly string[];
  /** `true`: the last sentence before a split is repeated after the split. */
  readonly overlap: boolean;
  /** `true`: consecutive blocks of this kind are not separated by a blank line. */
  readonly compact: boolean;
}

/** Converts a block to text. Returns null if the block has no text. */
export function toTextBlock(block: Exclude<Block, { kind: 'heading' | 'page' }>): TextBlock | null {
  switch (block.kind) {
    case 'paragraph':
      return textBlock(normalise(block.text), sentencesOf, { overlap: true });
    case 'list': {
      const items = block.items.map(normaliseLines).filter((item) => item !== '');
      return textBlock(items.join('\n'), () => items.map((item) => `${item}\n`));
    }
    case 'code':
      return textBlock(normaliseLines(block.text), (text) => text.split(/(?<=\n)/));
    case 'row': {
      const cells = cellsOf(block.header, block.cells);
      return textBlock(cells.join(' | '), () => cells.map((cell) => `${cell} | `), {
        compact: true,
      });
    }
  }
}

/**
 * Returns cells such as `Name: Ada` and `City: London`. Each value includes the name of its column, so a row is
 * understandable without the header, for example in a snippet or in a table of thirty columns.
 */
function cellsOf(header: readonly string[], cells: readonly string[]): string[] {
  const names = namesOf(header);
  return cells.flatMap((cell, index) => {
    const value = normaliseLine(cell);
    const name = names[index] ?? '';
    if (value === '') return [];
    return [name === '' ? value : `${name}: ${value}`];
  });
}

/** Cache of normalised headers. All rows of a table share one header. */
const normalisedHeaders = new WeakMap<readonly string[], readonly string[]>();

function namesOf(header: readonly string[]): readonly string[] {
  const known = normalisedHeaders.get(header);
  if (known !== undefined) return known;
  const names = header.map(normaliseLine);
  normalisedHeaders.set(header, names);
  return names;
}

function textBlock(
  text: string,
  cut: (text: string) => readonly string[],
  { overlap = false, compact = false }: { overlap?: boolean; compact?: boolean } = {},
): TextBlock | null {
  if (text === '') return null;
  const split = (maxSize: number) =>
    cut(text).flatMap((piece) =>
      // A piece that is still too long is split like running text.
      piece.length * 2 <= maxSize ? [piece] : sentencesUpTo(piece, maxSize),
    );
  return { text, split, overlap, compact };
}

function sentencesUpTo(piece: string, maxSize: number): string[] {
  const whole = cutAtSpaces(piece, maxSize);
  return whole.length === 1
    ? whole
    : sentencesOf(piece).flatMap((sentence) => cutAtSpaces(sentence, maxSize));
}

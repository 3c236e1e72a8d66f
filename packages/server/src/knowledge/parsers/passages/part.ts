import { sentencesOf } from '../../../lib/text/index.ts';
import type { Block } from './block.ts';
import { cutAtSpaces } from './cut-at-spaces.ts';
import { tidy, tidyLine, tidyLines } from './tidy.ts';

/** A block as text, and where it may be cut when it is too long. */
export interface Part {
  readonly text: string;
  /** The same text in pieces of at most this size, at the best places for its kind. */
  readonly pieces: (maxSize: number) => readonly string[];
  /** Whether the last sentence before a cut is said again behind it. */
  readonly overlaps: boolean;
  /** Whether it follows one of its kind on the next line, without an empty one between. */
  readonly close: boolean;
}

/** Null for a block that says nothing. */
export function partOf(block: Exclude<Block, { kind: 'heading' | 'page' }>): Part | null {
  switch (block.kind) {
    case 'paragraph':
      return part(tidy(block.text), sentencesOf, { overlaps: true });
    case 'list': {
      const items = block.items.map(tidyLines).filter((item) => item !== '');
      return part(items.join('\n'), () => items.map((item) => `${item}\n`));
    }
    case 'code':
      return part(tidyLines(block.text), (text) => text.split(/(?<=\n)/));
    case 'row': {
      const cells = cellsOf(block.header, block.cells);
      return part(cells.join(' | '), () => cells.map((cell) => `${cell} | `), { close: true });
    }
  }
}

/**
 * `Name: Ada | City: London`. Each value carries its column's name, rather than a header row at the top
 * of each passage, so that a row still says what it means in a snippet and in a table of thirty columns.
 */
function cellsOf(header: readonly string[], cells: readonly string[]): string[] {
  const names = namesOf(header);
  return cells.flatMap((cell, index) => {
    const value = tidyLine(cell);
    const name = names[index] ?? '';
    if (value === '') return [];
    return [name === '' ? value : `${name}: ${value}`];
  });
}

/** All rows of a table share one header, which is tidied once. */
const tidied = new WeakMap<readonly string[], readonly string[]>();

function namesOf(header: readonly string[]): readonly string[] {
  const known = tidied.get(header);
  if (known !== undefined) return known;
  const names = header.map(tidyLine);
  tidied.set(header, names);
  return names;
}

function part(
  text: string,
  cut: (text: string) => readonly string[],
  { overlaps = false, close = false }: { overlaps?: boolean; close?: boolean } = {},
): Part | null {
  if (text === '') return null;
  const pieces = (maxSize: number) =>
    cut(text).flatMap((piece) =>
      // Whatever the kind, what is still too long is cut as running text is.
      piece.length * 2 <= maxSize ? [piece] : sentencesUpTo(piece, maxSize),
    );
  return { text, pieces, overlaps, close };
}

function sentencesUpTo(piece: string, maxSize: number): string[] {
  const whole = cutAtSpaces(piece, maxSize);
  return whole.length === 1
    ? whole
    : sentencesOf(piece).flatMap((sentence) => cutAtSpaces(sentence, maxSize));
}

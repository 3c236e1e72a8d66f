import { inReadingOrder, type Placed } from './text-order.ts';

/** A line of a page. */
export interface Line {
  readonly text: string;
  /** Of its first letters, in points from the bottom of the page. */
  readonly y: number;
  /** Of its largest letters, in points. */
  readonly height: number;
}

/** What pdf.js says of a run of text. */
export interface TextItem extends Placed {
  readonly height: number;
  readonly hasEOL: boolean;
}

/** Arabic letters in the form they have at a place in a word, which is how fonts name them. */
const PRESENTATION_FORMS = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;

/** Puts runs of text together to lines. Those without anything to see are left out. */
export function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let runs: TextItem[] = [];
  for (const item of items) {
    runs.push(item);
    if (!item.hasEOL) continue;
    lines.push(lineOf(runs));
    runs = [];
  }
  return [...lines, lineOf(runs)].filter(({ text }) => text !== '');
}

function lineOf(runs: readonly TextItem[]): Line {
  const seen = runs.filter(({ str }) => str.trim() !== '');
  const text = inReadingOrder(runs)
    .map(({ str }) => str)
    .join('')
    .replace(PRESENTATION_FORMS, (forms) => forms.normalize('NFKC'))
    .trim();
  const height = seen.reduce((most, run) => Math.max(most, run.height), 0);
  return { text, y: seen[0]?.transform[5] ?? 0, height };
}

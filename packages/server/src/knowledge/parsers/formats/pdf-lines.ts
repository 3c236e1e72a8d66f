export interface Line {
  readonly text: string;
  /** Distance of the first visible run from the bottom of the page, in points. */
  readonly y: number;
  /** Height of the largest run, in points. */
  readonly height: number;
  /** The parts of a left-to-right line between wide gaps. */
  readonly cells: readonly Cell[];
}

/** A part of a line with its horizontal position in points. */
export interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Placed {
  readonly str: string;
  /** `rtl` for scripts such as Arabic and Hebrew. */
  readonly dir: string;
  /** Transformation matrix. The last two numbers are the position. */
  readonly transform: readonly number[];
}

/** A run of text as pdf.js returns it. */
export interface TextItem extends Placed {
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/** Maximum runs of a line that are reordered. A longer line is not ordinary text. */
const MAX_RUNS = 10_000;
/** Minimum gap between two cells, relative to the height of the line. The spaces of justified text are smaller. */
const CELL_GAP = 1;
/** Contextual forms of Arabic letters, which fonts use. */
const PRESENTATION_FORMS = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;

/** @param bottom the lower edge of the page in the coordinates of the runs. */
export function linesOf(items: readonly TextItem[], bottom: number): Line[] {
  const lines: Line[] = [];
  let runs: TextItem[] = [];
  for (const item of items) {
    runs.push(item);
    if (!item.hasEOL) continue;
    lines.push(lineOf(runs, bottom));
    runs = [];
  }
  return [...lines, lineOf(runs, bottom)].filter(({ text }) => text !== '');
}

function lineOf(runs: readonly TextItem[], bottom: number): Line {
  const seen = runs.filter(({ str }) => str.trim() !== '');
  const text = inReadingOrder(runs)
    .map(({ str }) => str)
    .join('')
    .replace(PRESENTATION_FORMS, (forms) => forms.normalize('NFKC'))
    .trim();
  const height = seen.reduce((most, run) => Math.max(most, run.height), 0);
  return {
    text,
    y: (seen[0]?.transform[5] ?? bottom) - bottom,
    height,
    cells: cellsOf(runs, height),
  };
}

function cellsOf(runs: readonly TextItem[], height: number): Cell[] {
  if (runs.some(isRightToLeft)) return [];
  const cells: Cell[] = [];
  let spaces = '';
  for (const run of runs) {
    if (!isVisible(run)) {
      spaces += run.str;
      continue;
    }
    const start = xOf(run);
    const end = start + run.width;
    const last = cells.at(-1);
    if (last === undefined || start - last.end >= height * CELL_GAP)
      cells.push({ text: run.str, start, end });
    else cells[cells.length - 1] = { ...last, text: last.text + spaces + run.str, end };
    spaces = '';
  }
  return cells.map((cell) => ({ ...cell, text: cell.text.trim() }));
}

/**
 * Returns the runs of a line in reading order. Browsers draw every line from left to right, so the runs of a right-to-left
 * script are stored in reverse order. Lines whose runs are already in reading order are unchanged.
 */
export function inReadingOrder<Run extends Placed>(runs: readonly Run[]): readonly Run[] {
  if (runs.length > MAX_RUNS) return runs;
  const rightToLeft = runs.filter(isRightToLeft);
  const [first, last] = [rightToLeft[0], rightToLeft.at(-1)];
  if (first === undefined || last === undefined || xOf(first) >= xOf(last)) return runs;
  const most = rightToLeft.length * 2 >= runs.filter(isVisible).length;
  return most ? reversed(runs.toReversed(), isLeftToRight) : reversed(runs, isRightToLeft);
}

/** Reverses each sequence of runs that `belongs` accepts, including the spaces between them. */
function reversed<Run extends Placed>(
  runs: readonly Run[],
  belongs: (run: Placed) => boolean,
): readonly Run[] {
  const result: Run[] = [];
  let sequence: Run[] = [];
  let spaces: Run[] = [];
  for (const run of runs) {
    if (belongs(run)) {
      sequence.push(...spaces, run);
      spaces = [];
    } else if (sequence.length > 0 && !isVisible(run)) {
      spaces.push(run);
    } else {
      result.push(...sequence.toReversed(), ...spaces, run);
      [sequence, spaces] = [[], []];
    }
  }
  return [...result, ...sequence.toReversed(), ...spaces];
}

function isVisible({ str }: Placed): boolean {
  return str.trim() !== '';
}

function isRightToLeft(run: Placed): boolean {
  return isVisible(run) && run.dir === 'rtl';
}

function isLeftToRight(run: Placed): boolean {
  return isVisible(run) && run.dir !== 'rtl';
}

function xOf({ transform }: Placed): number {
  return transform[4] ?? 0;
}

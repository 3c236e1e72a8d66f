/** A line of a page. */
export interface Line {
  readonly text: string;
  /** Position of the first letters, in points from the bottom of the page. */
  readonly y: number;
  /** Height of the largest letters, in points. */
  readonly height: number;
}

/** A run of text and its position on the page. */
interface Placed {
  readonly str: string;
  /** `rtl` for scripts such as Arabic and Hebrew. */
  readonly dir: string;
  /** Transformation matrix; the last two numbers are the position. */
  readonly transform: readonly number[];
}

/** A run of text as pdf.js returns it. */
export interface TextItem extends Placed {
  readonly height: number;
  readonly hasEOL: boolean;
}

/** A line with more runs is not text for people, and stays as it is. */
const MAX_RUNS = 10_000;
/** Arabic letters in the contextual forms by which fonts name them. */
const PRESENTATION_FORMS = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;

/** Joins runs of text to lines and drops blank lines. */
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

/**
 * Returns the runs of a line in reading order. Browsers draw a line from left to right, Arabic letter by letter,
 * so runs of a right-to-left script are in reverse order in the file. Files whose runs are already in reading
 * order, from right to left, stay unchanged.
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

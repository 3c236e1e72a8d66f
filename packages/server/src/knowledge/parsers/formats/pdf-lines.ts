export interface Line {
  readonly text: string;
  /** Distance of the first visible run from the bottom of the page, in points. */
  readonly y: number;
  /** Height of the largest run, in points. */
  readonly height: number;
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
  readonly height: number;
  readonly hasEOL: boolean;
}

/** Maximum runs of a line that are reordered. A longer line is not ordinary text. */
const MAX_RUNS = 10_000;
/** Contextual forms of Arabic letters, which fonts use. */
const PRESENTATION_FORMS = /[\ufb50-\ufdff\ufe70-\ufefc]+/g;

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

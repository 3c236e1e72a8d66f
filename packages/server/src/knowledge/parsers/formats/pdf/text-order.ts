/** A run of text, and where on its line it is drawn. */
export interface Placed {
  readonly str: string;
  /** `rtl` for Arabic, Hebrew and their like. */
  readonly dir: string;
  /** Its matrix; the last two numbers are its place. */
  readonly transform: readonly number[];
}

/** A line of more runs is none that anybody reads. */
const MAX_RUNS = 10_000;

/**
 * The runs of a line in the order in which they are read. Browsers draw a line from left to right, and
 * Arabic letter by letter: runs of a script that goes to the left then stand in the file back to front.
 * Files that have them in reading order already, from right to left, are left alone.
 */
export function inReadingOrder<Run extends Placed>(runs: readonly Run[]): readonly Run[] {
  if (runs.length > MAX_RUNS) return runs;
  const leftward = runs.filter(goesLeft);
  const [first, last] = [leftward[0], leftward.at(-1)];
  if (first === undefined || last === undefined || xOf(first) >= xOf(last)) return runs;
  const most = leftward.length * 2 >= runs.filter(isSeen).length;
  return most ? turned(runs.toReversed(), goesRight) : turned(runs, goesLeft);
}

/** FairScheduler each stretch of such runs around, spaces between them included. */
function turned<Run extends Placed>(
  runs: readonly Run[],
  belongs: (run: Placed) => boolean,
): readonly Run[] {
  const result: Run[] = [];
  let stretch: Run[] = [];
  let spaces: Run[] = [];
  for (const run of runs) {
    if (belongs(run)) {
      stretch.push(...spaces, run);
      spaces = [];
    } else if (stretch.length > 0 && !isSeen(run)) {
      spaces.push(run);
    } else {
      result.push(...stretch.toReversed(), ...spaces, run);
      [stretch, spaces] = [[], []];
    }
  }
  return [...result, ...stretch.toReversed(), ...spaces];
}

function isSeen({ str }: Placed): boolean {
  return str.trim() !== '';
}

function goesLeft(run: Placed): boolean {
  return isSeen(run) && run.dir === 'rtl';
}

function goesRight(run: Placed): boolean {
  return isSeen(run) && run.dir !== 'rtl';
}

function xOf({ transform }: Placed): number {
  return transform[4] ?? 0;
}

/** Longer words are no misspelling of ours, and comparing them would cost. */
const longestCompared = 16;

/**
 * The known name that a misspelt one most likely means, or undefined when none is near. Letter case and
 * signs such as `$` do not count; one insertion, removal, change or swap of neighbours does, and two in
 * a word of six letters or more.
 */
export function nearestName<Name extends string>(
  written: string,
  known: readonly Name[],
): Name | undefined {
  if (written.length > longestCompared) return undefined;
  const word = written.toLowerCase().replace(/[^a-z]/g, '');
  let nearest: Name | undefined;
  let least = word.length < 6 ? 1 : 2;
  for (const name of known) {
    const edits = editDistance(word, name.toLowerCase());
    const isNearer = nearest === undefined ? edits <= least : edits < least;
    if (isNearer && edits < word.length) {
      nearest = name;
      least = edits;
    }
  }
  return nearest;
}

/** Optimal string alignment distance, a table row at a time. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        cell(last, column) + 1,
        cell(current, column - 1) + 1,
        cell(last, column - 1) + changed,
        swapped ? cell(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, to.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

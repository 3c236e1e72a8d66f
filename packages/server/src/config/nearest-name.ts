const MAX_TYPOS = 3;

/**
 * The known name that somebody most likely meant: at most three typing errors away, or one name a
 * part of the other (`PASSWORD` for `ADMIN_PASSWORD`).
 *
 * @returns the name, or `undefined` when none is near.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const byDistance = known
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .sort((a, b) => a.distance - b.distance);
  const near = byDistance.find(
    ({ name, distance }) => distance <= MAX_TYPOS || name.includes(given) || given.includes(name),
  );
  return near?.name;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const remove = (above[column] ?? 0) + 1;
      const insert = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replace, remove, insert));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}

const LONGEST_NAME = 64;
const SHORTEST_PART = 3;

/**
 * The known name that somebody most likely meant, for the hint in an error message: the same name
 * in another spelling (`ttl_seconds` for `ttlSeconds`), one a few typing errors away, or else one
 * that the given name is a part of, or the other way round (`key` for `apiKey`).
 *
 * @param name what was given, of any length; one over 64 characters is near to nothing.
 * @param candidates the known names; the first wins between equally near ones.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const given = folded(name);
  let nearest: string | undefined;
  let least = typosAllowed(given) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(given, folded(candidate));
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest ?? candidates.find((candidate) => isPart(given, folded(candidate)));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}

/** One error in every three characters, at least one and at most three. */
function typosAllowed(name: string): number {
  return Math.min(3, Math.max(1, Math.floor(name.length / 3)));
}

function isPart(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= SHORTEST_PART && long.includes(short);
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        cell(above, column) + 1,
        cell(current, column - 1) + 1,
        cell(above, column - 1) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, cell(twoAbove, column - 2) + 1);
      current.push(least);
    }
    twoAbove = above;
    above = current;
  }
  return cell(above, b.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}

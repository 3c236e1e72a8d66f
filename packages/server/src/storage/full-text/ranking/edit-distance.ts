/**
 * Returns the smallest number of edits that turn one word into the other. An edit adds, removes or replaces a letter, or transposes two
 * adjacent letters; no letter is edited twice (optimal string alignment). Returns a number greater than `maximum` if the distance
 * exceeds `maximum`.
 */
export function editDistance(
  one: readonly string[],
  other: readonly string[],
  maximum: number,
): number {
  if (Math.abs(one.length - other.length) > maximum) return maximum + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isEqual = one[row - 1] === other[column - 1];
      let distance = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isEqual ? 0 : 1),
      );
      if (
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1]
      )
        distance = Math.min(distance, (beforeLast[column - 2] as number) + 1);
      current.push(distance);
    }
    if (Math.min(...current) > maximum) return maximum + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] as number;
}

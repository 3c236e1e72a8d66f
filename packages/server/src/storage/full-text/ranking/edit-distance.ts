import { LONGEST_TERM } from '../../../lib/text/index.ts';

/** Rows of the table of distances. They are reused, because a search compares thousands of words. */
const ROWS = Array.from({ length: 3 }, () => new Uint8Array(LONGEST_TERM + 1));

/**
 * Returns the smallest number of edits that turn one word into the other. An edit adds, removes or replaces a letter, or transposes two
 * adjacent letters; no letter is edited twice (optimal string alignment). Returns a number greater than `maximum` if the distance
 * exceeds `maximum`.
 *
 * @param one code points of at most `LONGEST_TERM` letters, like `other`.
 */
export function editDistance(one: Uint32Array, other: Uint32Array, maximum: number): number {
  if (Math.abs(one.length - other.length) > maximum) return maximum + 1;
  // Letters that are equal at both ends do not change the distance.
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let equal = 0;
  while (equal < shorter - start && one[one.length - 1 - equal] === other[other.length - 1 - equal])
    equal++;
  const [rows, columns] = [one.length - start - equal, other.length - start - equal];
  if (rows === 0 || columns === 0) return Math.max(rows, columns);
  // The first and the last letters differ, so a single edit is a replaced letter or two transposed letters.
  if (maximum === 1 && (rows !== columns || rows > 2)) return 2;
  return distanceOf(one, other, { start, rows, columns }, maximum);
}

interface Part {
  readonly start: number;
  readonly rows: number;
  readonly columns: number;
}

/** Fills the table of the distances of all beginnings of the two parts, row by row. */
function distanceOf(
  one: Uint32Array,
  other: Uint32Array,
  { start, rows, columns }: Part,
  maximum: number,
): number {
  let [beforeLast, last, current] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  for (let column = 0; column <= columns; column++) last[column] = column;
  for (let row = 1; row <= rows; row++) {
    const letter = one[start + row - 1];
    let least = row;
    current[0] = row;
    for (let column = 1; column <= columns; column++) {
      const isEqual = letter === other[start + column - 1];
      let distance = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isEqual ? 0 : 1),
      );
      if (
        row > 1 &&
        column > 1 &&
        letter === other[start + column - 2] &&
        one[start + row - 2] === other[start + column - 1]
      )
        distance = Math.min(distance, (beforeLast[column - 2] as number) + 1);
      current[column] = distance;
      least = Math.min(least, distance);
    }
    if (least > maximum) return maximum + 1;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[columns] as number;
}

/** Passages of a row of vectors. Rows start at multiples of it, so that a row of another model is replaced. */
export const PASSAGES_PER_ROW = 32;

/**
 * The rows that a document lacks: the position of the first, and whether it is the only one. Null when
 * it lacks none.
 *
 * @param there the positions at which rows begin, in order.
 */
export function firstMissing(
  passages: number,
  there: readonly number[],
): { readonly first: number; readonly isLast: boolean } | null {
  const rows = Math.ceil(passages / PASSAGES_PER_ROW);
  const has = new Set(there);
  for (let row = 0; row < rows; row++) {
    const first = row * PASSAGES_PER_ROW;
    if (!has.has(first)) return { first, isLast: has.size === rows - 1 };
  }
  return null;
}

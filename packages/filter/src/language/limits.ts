/** The limits of a filter. `parse` rejects a filter that exceeds any of them. */
export const limits = {
  /**
   * Maximum nesting depth of nodes. The outermost node has depth 1. Also the maximum number of keys in a dotted field
   * name.
   */
  depth: 32,
  /**
   * Maximum number of nodes in the parsed form. Each `and`, `or`, `not` and `search` is a node, and so is each operator
   * on a field. An object is also an `and` node unless it contains exactly one connective or operator.
   */
  nodes: 512,
  values: 1_000,
  /** Maximum number of code points in one string: an operand, a search text or a field name. */
  characters: 1_000,
} as const;

/** `parse` stops after this number of problems, which limits the size of error responses. */
export const maxProblems = 100;

/** Returns the reason why a string is not allowed in a filter, or `undefined` if it is allowed. */
export function textProblem(text: string): string | undefined {
  if (isTooLong(text)) return `must have at most ${limits.characters} characters`;
  if (text.includes('\0')) return 'must not contain U+0000';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  return undefined;
}

/** Reports whether a string has more code points than the limit. */
export function isTooLong(text: string): boolean {
  // A code point has one or two code units, so code points are counted only if the length is inconclusive.
  if (text.length <= limits.characters) return false;
  if (text.length > 2 * limits.characters) return true;
  return Array.from(text).length > limits.characters;
}

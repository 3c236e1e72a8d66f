/** The limits of one filter. `parse` refuses a filter that exceeds one of them. */
export const limits = {
  /**
   * Levels of nodes inside each other; the outermost node is the first. Also how many keys a dotted
   * field name may reach through.
   */
  depth: 32,
  /**
   * Nodes of the parsed form: each `and`, `or`, `not` and `search`, each operator on a field, and each
   * object whose members (operators counted one by one) are not exactly one, since it is an `and`.
   */
  nodes: 512,
  /** Values in one `in`. */
  values: 1_000,
  /** Code points in one string: an operand, a search text or a field name. */
  characters: 1_000,
} as const;

/** `parse` stops after this many problems, so that a hostile filter cannot cause a huge answer. */
export const maximumProblems = 100;

/** Returns why a filter may not contain a string, or undefined if it may. */
export function textProblem(text: string): string | undefined {
  if (isTooLong(text)) return `must have at most ${limits.characters} characters`;
  if (text.includes('\0')) return 'must not contain the character U+0000';
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair';
  return undefined;
}

/** Reports whether a string has more code points than the limit. */
export function isTooLong(text: string): boolean {
  // A code point has one or two units, so most strings need no counting.
  if (text.length <= limits.characters) return false;
  if (text.length > 2 * limits.characters) return true;
  return Array.from(text).length > limits.characters;
}

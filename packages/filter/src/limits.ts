/** How large one filter may be. Over any of these `parse` refuses it. */
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

/** `parse` stops reading after as many problems, so that a hostile filter cannot cause a huge answer. */
export const maximumProblems = 100;

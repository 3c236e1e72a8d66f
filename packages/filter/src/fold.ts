/**
 * A string as case-insensitive comparison sees it: Unicode's default lower-casing, by JavaScript's `toLowerCase`.
 * A final `Σ` becomes `ς`, elsewhere `σ`, so folding a part is not always a part of folding the whole. A stored
 * folded copy must come from this function, since engines differ.
 */
export function fold(text: string): string {
  return text.toLowerCase();
}

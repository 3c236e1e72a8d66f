/** Splits the text of a field with several values at spaces. */
export function toPatterns(text: string): string[] {
  return text.split(/\s+/).filter((part) => part !== '');
}

/** Like `toPatterns`, but returns null if the text contains no value. */
export function toOptionalPatterns(text: string): string[] | null {
  const patterns = toPatterns(text);
  return patterns.length === 0 ? null : patterns;
}

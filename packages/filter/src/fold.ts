/**
 * A string as case-insensitive comparison sees it: Unicode's default lower-casing, with the final sigma `ς`
 * as `σ`. Lower-casing alone turns `Σ` into one or the other by what stands beside it, so that `ΑΣ` would
 * not be found in `ΑΣΑ`; with one sigma, folding the parts and folding the whole are the same. A stored
 * folded copy must come from this function.
 */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

export const LONGEST_TERM = 64;

/** The term, cut to so many UTF-16 units without splitting a character of two. */
export function cut(term: string, longest = LONGEST_TERM): string {
  if (term.length <= longest) return term;
  const last = term.charCodeAt(longest - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return term.slice(0, splitsPair ? longest - 1 : longest);
}

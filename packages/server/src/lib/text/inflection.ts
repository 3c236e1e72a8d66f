const WORD = /^[\p{L}\p{M}]+$/u;
const SHORTEST = 4;
const SHORTEST_STEM = 5;
const LONGEST_ENDING = 3;

/**
 * How the other forms of a word probably begin, in any language that inflects at the end: a word of
 * four or five letters with more behind it, of a longer one what is left without up to three letters.
 * Null for words that are shorter or have digits. It helps more than it harms; `docs/benchmarks.md`
 * ("Search relevance") has by how much.
 */
export function commonBeginning(word: string): string | null {
  if (word.length < SHORTEST || !WORD.test(word)) return null;
  const letters = [...word];
  if (letters.length <= SHORTEST_STEM) return word;
  return letters.slice(0, Math.max(SHORTEST_STEM, letters.length - LONGEST_ENDING)).join('');
}

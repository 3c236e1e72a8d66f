import { foldUnit } from './fold.ts';
import { cut, LONGEST_TERM } from './term.ts';

/** Two of them make a pair. */
const LONGEST_UNIT = LONGEST_TERM / 2;

/** A letter with its marks is one term; of a compatibility character each letter that it stands for. */
export function unitTerms(
  text: string,
  start: number,
  end: number,
  codePoint: number,
): Iterable<string> {
  const written = text.slice(start, Math.min(end, start + LONGEST_UNIT));
  if (end - start === 1 && isFolded(codePoint)) return [written];
  const folded = foldUnit(written);
  if (folded.length === 1) return [folded];
  return Array.from(folded.matchAll(/[\p{L}\p{N}]\p{M}*/gu), ([term]) => cut(term, LONGEST_UNIT));
}

/** Most of Han, the kana and the Korean syllables are as they should be. */
function isFolded(codePoint: number): boolean {
  return (
    (codePoint >= 0x4e00 && codePoint <= 0x9fff) ||
    (codePoint >= 0x3041 && codePoint <= 0x30fe) ||
    (codePoint >= 0xac00 && codePoint <= 0xd7a3)
  );
}

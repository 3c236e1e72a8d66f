import { seeded } from '../../packages/server/tests/support/seeded.ts';
import type { JudgedQuery } from './collection.ts';

const WORD = /\p{L}{5,}/gu;
const LETTER = /^\p{L}$/u;

/**
 * Adds one typing error to the longest alphabetic word of each query. Omits queries without an alphabetic word of at least five letters.
 * The error is a missing, doubled, replaced or transposed letter; the first letter is never changed. All kinds have the same probability.
 */
export function misspelt(queries: readonly JudgedQuery[]): JudgedQuery[] {
  const random = seeded(23);
  return queries.flatMap(({ text, grades }) => {
    const words = [...text.matchAll(WORD)].filter(
      ([word]) => !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u.test(word),
    );
    const longest = words.toSorted(([one], [other]) => other.length - one.length)[0];
    if (longest === undefined) return [];
    const letters = [...longest[0]];
    const alphabet = [...new Set([...text.toLowerCase()].filter((letter) => LETTER.test(letter)))];
    const at = 1 + random.below(letters.length - 2);
    const here = letters[at] as string;
    const next = letters[at + 1] as string;
    const kinds: (() => void)[] = [
      () => letters.splice(at, 1),
      () => letters.splice(at, 0, here),
      () => letters.splice(at, 1, random.pick(alphabet.filter((letter) => letter !== here))),
      () => letters.splice(at, 2, ...(next === here ? [here] : [next, here])),
    ];
    random.pick(kinds)();
    const end = longest.index + longest[0].length;
    return [{ text: text.slice(0, longest.index) + letters.join('') + text.slice(end), grades }];
  });
}

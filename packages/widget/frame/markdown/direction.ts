const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}\p{sc=Adlm}\p{sc=Rohg}]/u;

/**
 * The direction that the first letter of a text has, for blocks that hold other blocks: `dir=auto` looks past
 * those, and would call every list of paragraphs left to right. Undefined without a letter.
 */
export function directionOf(text: string): 'ltr' | 'rtl' | undefined {
  const [letter] = LETTER.exec(text) ?? [];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

const INVISIBLE = /[\p{DI}\u0640]/gu;
const POINTS = /[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}])\p{M}+/gu;
/** Stress marks, which dictionaries and schoolbooks write; й, ў and ї are letters of their own and stay. */
const STRESS = /([аеиоуыэюяіє])[\u0300\u0301]+/g;
const YO = /е\u0308/g;

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i' },
  ς: 'σ',
  // Arabic and Persian writings of one letter.
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ة: 'ه', ە: 'ه', ک: 'ك' },
  ...digits('٠'),
  ...digits('۰'),
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** The Arabic article is written with its noun, which must be found without it and with it. */
const ARTICLE = /^ال(?=\p{sc=Arabic}{3})/u;

const LONGEST_REMEMBERED = 24;
const MOST_REMEMBERED = 20_000;
const remembered = new Map<string, string>();

/**
 * The form of a word that is compared: NFKC, lower case, without the marks that writers of its script
 * may leave out (Latin and Greek accents, Arabic and Hebrew points, Russian stress and the dots of ё).
 * Marks that make another letter stay: й, が, Indic vowel signs. May hold separators that were hidden in
 * a compatibility character, or be empty.
 */
export function foldWord(word: string): string {
  const before = remembered.get(word);
  if (before !== undefined) return before;
  const folded = fold(word);
  if (word.length <= LONGEST_REMEMBERED) {
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(word, folded);
  }
  return folded;
}

function fold(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(INVISIBLE, '')
    .replace(POINTS, '')
    .replace(ACCENTS, '$1')
    .replace(STRESS, '$1')
    .replace(YO, 'е')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
    .replace(ARTICLE, '');
}

/** A letter of an unspaced script with its marks, as it is compared: NFKC, nothing invisible. */
export function foldUnit(unit: string): string {
  return unit.normalize('NFKC').toLowerCase().replace(INVISIBLE, '');
}

/** The ten digits that start with this zero, and those of ASCII for them. */
function digits(zero: string): Record<string, string> {
  const first = zero.charCodeAt(0);
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, value) => [String.fromCharCode(first + value), String(value)]),
  );
}

const INVISIBLE = /[\p{DI}\u0640]/gu;
const POINTS = /[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}])\p{M}+/gu;
/** Stress marks of Cyrillic vowels. й, ў and ї are separate letters and do not match. */
const STRESS = /([аеиоуыэюяіє])[\u0300\u0301]+/g;
const YO = /е\u0308/g;

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i' },
  ς: 'σ',
  // Arabic and Persian variants of the same letter.
  ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ة: 'ه', ە: 'ه', ک: 'ك' },
  ...digits('٠'),
  ...digits('۰'),
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** The Arabic article, which is attached to its noun. Words are found with and without the article. */
const ARTICLE = /^ال(?=\p{sc=Arabic}{3})/u;

const MAX_CACHED_LENGTH = 24;
const MAX_CACHED_WORDS = 20_000;
const cache = new Map<string, string>();

/**
 * Returns the form in which words are compared: NFKC, lower case, without marks that are optional in the script (Latin and
 * Greek accents, Arabic and Hebrew points, Russian stress and the dots of ё). Marks that distinguish letters are kept: й, が,
 * Indic vowel signs. The result can be empty, or contain separators from a compatibility character.
 */
export function foldWord(word: string): string {
  const before = cache.get(word);
  if (before !== undefined) return before;
  const folded = fold(word);
  if (word.length <= MAX_CACHED_LENGTH) {
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    cache.set(word, folded);
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

/** Returns the form in which letters of scripts without spaces are compared: NFKC, without invisible characters. */
export function foldUnit(unit: string): string {
  return unit.normalize('NFKC').toLowerCase().replace(INVISIBLE, '');
}

/** Maps the ten digits that start with `zero` to ASCII digits. */
function digits(zero: string): Record<string, string> {
  const first = zero.charCodeAt(0);
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, value) => [String.fromCharCode(first + value), String(value)]),
  );
}

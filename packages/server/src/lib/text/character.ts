// The character classes of the tokeniser.
export const SEPARATOR = 1;
/** A letter or digit of a script that puts spaces between words. */
export const LETTER = 2;
/** A combining mark, joiner or other invisible character. It belongs to the preceding character. */
export const MARK = 3;
/** A letter of a script without spaces between words, or of Korean, whose words have suffixes. */
export const UNIT = 4;
export const SYMBOL = 5;

const UNSPACED = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Yi', 'Thai', 'Lao', 'Khmer'],
  ...['Myanmar', 'Javanese', 'Balinese', 'Tai_Tham', 'New_Tai_Lue', 'Tai_Le', 'Tai_Viet'],
];
/** Created at the first use, because creating it takes 10 ms. */
let inUnspaced: RegExp | undefined;
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;
const LETTER_OR_LETTER_NUMBER = /[\p{L}\p{Nl}]/u;
const MARK_OR_INVISIBLE = /[\p{M}\p{DI}]/u;
/** Arrows are excluded, because they are usually operators. */
const PICTOGRAPH = /[\p{Extended_Pictographic}--[\p{Cn}\u2190-\u21ff]]/v;

/** Characters whose class differs from their Unicode properties. */
const EXCEPTIONS = new Map<number, number>([
  // Zero width space, which separates words invisibly.
  [0x200b, SEPARATOR],
  // Halfwidth voiced and semi-voiced sound marks, which Unicode classifies as letters.
  [0xff9e, MARK],
  [0xff9f, MARK],
  // Arabic tatweel, which only stretches a word.
  [0x0640, MARK],
  // The letter apostrophe, which joins words like other apostrophes.
  [0x02bc, SEPARATOR],
]);

/** Cached classes by code point; 0 if not cached. Untouched pages take no memory. */
const known = new Uint8Array(0x11_0000);

/** Returns the class of a code point. Lone surrogates are separators. */
export function characterClass(codePoint: number): number {
  const found = known[codePoint] as number;
  if (found !== 0) return found;
  const decided = decide(codePoint);
  known[codePoint] = decided;
  return decided;
}

function decide(codePoint: number): number {
  const exception = EXCEPTIONS.get(codePoint);
  if (exception !== undefined) return exception;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return SEPARATOR;
  if (isHangulVowelOrTail(codePoint)) return MARK;
  const character = String.fromCodePoint(codePoint);
  if (MARK_OR_INVISIBLE.test(character)) return MARK;
  // A compatibility character such as ㎏, ™, ㈱ or ① has the class of the character it stands for.
  const meant = LETTER_OR_NUMBER.exec(character.normalize('NFKC'))?.[0];
  if (meant === undefined) return PICTOGRAPH.test(character) ? SYMBOL : SEPARATOR;
  return LETTER_OR_LETTER_NUMBER.test(meant) && unspaced().test(meant) ? UNIT : LETTER;
}

function unspaced(): RegExp {
  inUnspaced ??= new RegExp(`[${UNSPACED.map((name) => `\\p{scx=${name}}`).join('')}]`, 'u');
  return inUnspaced;
}

/** Reports whether a code point is a vowel or final consonant of a decomposed Korean syllable. */
function isHangulVowelOrTail(codePoint: number): boolean {
  return (
    (codePoint >= 0x1160 && codePoint <= 0x11ff) || (codePoint >= 0xd7b0 && codePoint <= 0xd7fb)
  );
}

export function behindMarks(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const codePoint = codePointAt(text, at);
    if (codePoint < 128 || characterClass(codePoint) !== MARK) break;
    at += width(codePoint);
  }
  return at;
}

/**
 * Returns the code point at an offset, or the code unit of a lone surrogate.
 *
 * Use this function instead of `String.prototype.codePointAt`. When V8 14.6 compiles `String.prototype.codePointAt`, the compiled
 * method can read past the end of a substring that ends in the middle of a surrogate pair. The same offset then yields two
 * different characters, and a scan may never end.
 *
 * @param at offset in UTF-16 code units, less than the length.
 */
export function codePointAt(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first < 0xd800 || first > 0xdbff || at + 1 >= text.length) return first;
  const second = text.charCodeAt(at + 1);
  if (second < 0xdc00 || second > 0xdfff) return first;
  return (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x1_0000;
}

export function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

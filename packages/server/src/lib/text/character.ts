/** What a character is for the tokeniser. */
export const SEPARATOR = 1;
/** A letter or digit of a script that puts spaces between words. */
export const LETTER = 2;
/** Belongs to what stands before it: combining marks, joiners and other characters that show nothing. */
export const MARK = 3;
/** A letter of a script that writes words without spaces (or, as Korean, with endings attached). */
export const UNIT = 4;
/** A pictograph, which is a term of its own. */
export const SYMBOL = 5;

const UNSPACED = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Yi', 'Thai', 'Lao', 'Khmer'],
  ...['Myanmar', 'Javanese', 'Balinese', 'Tai_Tham', 'New_Tai_Lue', 'Tai_Le', 'Tai_Viet'],
];
const IN_UNSPACED = new RegExp(`[${UNSPACED.map((name) => `\\p{scx=${name}}`).join('')}]`, 'u');
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;
const LETTER_OR_LETTER_NUMBER = /[\p{L}\p{Nl}]/u;
const MARK_OR_INVISIBLE = /[\p{M}\p{DI}]/u;
/** Arrows are operators more often than pictures. */
const PICTOGRAPH = /[\p{Extended_Pictographic}--[\p{Cn}\u2190-\u21ff]]/v;

/** Characters that their Unicode properties would put elsewhere. */
const EXCEPTIONS = new Map<number, number>([
  // Zero width space, which separates words where no space may be seen.
  [0x200b, SEPARATOR],
  // Half width voiced and semi-voiced sound marks, which are letters to Unicode.
  [0xff9e, MARK],
  [0xff9f, MARK],
  // Arabic tatweel stretches a word and is no letter of it.
  [0x0640, MARK],
  // The letter apostrophe joins as other apostrophes do.
  [0x02bc, SEPARATOR],
]);

/** One byte a code point, 0 while not yet asked for; pages that nobody touches cost no memory. */
const known = new Uint8Array(0x11_0000);

/** The class of a code point; a surrogate without its partner is a separator. */
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
  // What Unicode calls a compatibility character counts as what it stands for: ㎏, ™, ㈱, ①.
  const meant = LETTER_OR_NUMBER.exec(character.normalize('NFKC'))?.[0];
  if (meant === undefined) return PICTOGRAPH.test(character) ? SYMBOL : SEPARATOR;
  return LETTER_OR_LETTER_NUMBER.test(meant) && IN_UNSPACED.test(meant) ? UNIT : LETTER;
}

/** The conjoining letters that follow the first one of a decomposed Korean syllable. */
function isHangulVowelOrTail(codePoint: number): boolean {
  return (
    (codePoint >= 0x1160 && codePoint <= 0x11ff) || (codePoint >= 0xd7b0 && codePoint <= 0xd7fb)
  );
}

/** The offset behind the marks that start here, if any. */
export function behindMarks(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) as number;
    if (codePoint < 128 || characterClass(codePoint) !== MARK) break;
    at += width(codePoint);
  }
  return at;
}

/** Of a code point, in UTF-16 units. */
export function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

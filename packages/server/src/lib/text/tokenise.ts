import {
  behindMarks,
  characterClass,
  LETTER,
  MARK,
  SEPARATOR,
  SYMBOL,
  UNIT,
  width,
} from './character.ts';
import { foldUnit, foldWord } from './fold.ts';

/** A term of a text and where it stands, as UTF-16 offsets. */
export interface Token {
  /** Without spaces, 1 to 64 UTF-16 units; of ASCII only `a`–`z`, `0`–`9`, and `+` or `#` at its end. */
  readonly term: string;
  readonly start: number;
  readonly end: number;
  /**
   * `word`, or of an unspaced script two letters that follow each other (`pair`) or the last letter
   * of a run (`last`); `compound` is what hyphens and the like join, written together.
   */
  readonly kind: 'word' | 'pair' | 'last' | 'compound';
}

/** In UTF-16 units. */
export const LONGEST_TERM = 64;
/** Two units make a pair. */
const LONGEST_UNIT = LONGEST_TERM / 2;
/** More joined parts than this are a sentence without spaces or an address, and no word. */
const MOST_PARTS = 8;
/** As much of a longer word is read as could matter for its term. */
const LONGEST_READ = 4 * LONGEST_TERM;

const ASCII_SEPARATOR = 0;
const ASCII_UPPER = 2;
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/.test(character)) return 1;
  return /[A-Z]/.test(character) ? ASCII_UPPER : ASCII_SEPARATOR;
});

/** U+0387 is another middle dot: normalisation makes it U+00B7. */
const JOINS_ANYTHING = new Set("'-._&@’ʼ‐‑·\u0387׳״");
const JOINS_DIGITS = new Set('/,:');
const DIGIT = /\d/;
const TERM_CHARACTERS = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The terms of a text: its words in their order, then its compounds. A text is indexed as these terms
 * with single spaces between them; a phrase is words that follow each other.
 *
 * - Words are folded (`foldWord`); what hyphens, dots, apostrophes and the like join is found by its
 *   parts and as a whole: `e-mail` is `e`, `mail` and `email`. `C++` is `c` and `c++`.
 * - Scripts without spaces, and Korean, are overlapping pairs of letters and the last letter alone.
 * - A pictograph is a word.
 *
 * Any string will do. A term longer than 64 is cut. Time grows with the length alone: about 40 MB of
 * English text a second.
 */
export function tokenise(text: string): Token[] {
  const scan = new Scan(text);
  scan.run();
  for (const compound of scan.compounds) scan.words.push(compound);
  return scan.words;
}

/** A text as it is indexed: its terms with single spaces between them. */
export function indexedText(text: string): string {
  let indexed = '';
  for (const { term } of tokenise(text)) indexed += indexed === '' ? term : ` ${term}`;
  return indexed;
}

class Scan {
  readonly words: Token[] = [];
  readonly compounds: Token[] = [];
  readonly #text: string;
  /** The first of the words that a chain of joiners has connected so far. */
  #chain = 0;
  /** Where the last word of the chain ended; -1 when nothing can be joined to it. */
  #chainEnd = -1;
  #joined = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    const text = this.#text;
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code < 128) {
        at = ASCII[code] === ASCII_SEPARATOR ? at + 1 : this.#word(at);
        continue;
      }
      const codePoint = text.codePointAt(at) as number;
      switch (characterClass(codePoint)) {
        case LETTER:
          at = this.#word(at);
          break;
        case UNIT:
          at = this.#units(at);
          break;
        case SYMBOL: {
          const end = behindMarks(text, at + width(codePoint));
          this.#closeChain();
          this.#push(String.fromCodePoint(codePoint), at, end, 'word');
          at = end;
          break;
        }
        default:
          at += width(codePoint);
      }
    }
    this.#closeChain();
  }

  #word(start: number): number {
    const text = this.#text;
    let at = start;
    let seen = 0;
    let ascii = true;
    for (; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code < 128) {
        const type = ASCII[code] as number;
        if (type === ASCII_SEPARATOR) break;
        seen |= type;
        at++;
      } else {
        const codePoint = text.codePointAt(at) as number;
        const type = characterClass(codePoint);
        if (type !== LETTER && type !== MARK) break;
        ascii = false;
        at += width(codePoint);
      }
    }
    this.#joinOrClose(start);
    const written = text.slice(start, Math.min(at, start + LONGEST_READ));
    if (!ascii) this.#pushFolded(foldWord(written), start, at);
    else
      this.#push((seen & ASCII_UPPER) === 0 ? written : written.toLowerCase(), start, at, 'word');
    this.#chainEnd = at;
    return this.#suffix(at);
  }

  /** A folded word is usually one term; a compatibility character may have hidden several. */
  #pushFolded(folded: string, start: number, end: number): void {
    for (const [term] of folded.matchAll(TERM_CHARACTERS)) this.#push(term, start, end, 'word');
  }

  /** `++` and `#` behind a word are part of a name: C++, F#. */
  #suffix(at: number): number {
    const text = this.#text;
    const next = text.charCodeAt(at);
    const suffix = next === 0x23 ? '#' : next === 0x2b && text[at + 1] === '+' ? '++' : '';
    const word = this.words.at(-1);
    if (suffix === '' || word === undefined || word.end !== at) return at;
    const end = at + suffix.length;
    if (end < text.length && characterClass(text.codePointAt(end) as number) !== SEPARATOR)
      return at;
    if (word.term.length + suffix.length <= LONGEST_TERM) {
      const { start } = word;
      this.compounds.push({ term: word.term + suffix, start, end, kind: 'compound' });
    }
    return end;
  }

  /** Before a word is pushed that starts here: is it joined to the one before? */
  #joinOrClose(start: number): void {
    if (this.#chainEnd === start - 1 && this.#joins(start - 1)) {
      this.#joined = true;
      return;
    }
    this.#closeChain();
    this.#chain = this.words.length;
  }

  #joins(at: number): boolean {
    const text = this.#text;
    const character = text[at] as string;
    if (JOINS_ANYTHING.has(character)) return true;
    if (!JOINS_DIGITS.has(character)) return false;
    const before = DIGIT.test(text[at - 1] as string);
    const after = DIGIT.test(text[at + 1] as string);
    return character === '/' ? before || after : before && after;
  }

  #closeChain(): void {
    this.#chainEnd = -1;
    if (!this.#joined) return;
    this.#joined = false;
    const parts = this.words.length - this.#chain;
    if (parts < 2 || parts > MOST_PARTS) return;
    let term = '';
    for (let index = this.#chain; index < this.words.length; index++) {
      term += (this.words[index] as Token).term;
    }
    if (term.length > LONGEST_TERM) return;
    const { start } = this.words[this.#chain] as Token;
    const { end } = this.words.at(-1) as Token;
    this.compounds.push({ term, start, end, kind: 'compound' });
  }

  #units(start: number): number {
    const text = this.#text;
    this.#closeChain();
    let at = start;
    let before: { term: string; start: number; end: number } | undefined;
    while (at < text.length) {
      const codePoint = text.codePointAt(at) as number;
      if (codePoint < 128 || characterClass(codePoint) !== UNIT) break;
      const end = behindMarks(text, at + width(codePoint));
      for (const term of unitTerms(text, at, end, codePoint)) {
        if (before !== undefined) {
          this.#push(before.term + term, before.start, end, 'pair');
        }
        before = { term, start: at, end };
      }
      at = end;
    }
    if (before !== undefined) this.#push(before.term, before.start, before.end, 'last');
    return at;
  }

  #push(term: string, start: number, end: number, kind: Token['kind']): void {
    this.words.push({ term: cut(term), start, end, kind });
  }
}

/** A letter with its marks is one term; of a compatibility character each letter that it stands for. */
function unitTerms(text: string, start: number, end: number, codePoint: number): Iterable<string> {
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

/** The term, cut to so many UTF-16 units without splitting a character of two. */
function cut(term: string, longest = LONGEST_TERM): string {
  if (term.length <= longest) return term;
  const last = term.charCodeAt(longest - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return term.slice(0, splitsPair ? longest - 1 : longest);
}

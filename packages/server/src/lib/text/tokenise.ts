import {
  behindMarks,
  characterClass,
  codePointAt,
  LETTER,
  MARK,
  SEPARATOR,
  SYMBOL,
  UNIT,
  width,
} from './character.ts';
import { foldUnit, foldWord } from './fold.ts';

export interface Token {
  /** 1 to 64 UTF-16 code units without spaces. ASCII characters are `a`–`z`, `0`–`9`, and a trailing `++` or `#`. */
  readonly term: string;
  readonly start: number;
  readonly end: number;
  /**
   * `word`: a word. `pair`: two adjacent letters of a script without spaces. `last`: the last letter of a run of such
   * letters. `compound`: words that are joined by hyphens and similar characters, without the joiners.
   */
  readonly kind: 'word' | 'pair' | 'last' | 'compound';
}

/** Maximum length of a term in UTF-16 code units. */
export const LONGEST_TERM = 64;
const LONGEST_UNIT = LONGEST_TERM / 2;
/** Maximum number of parts of a compound. More parts are usually an address or a sentence without spaces. */
const MAX_PARTS = 8;
/** Number of code units of a long word that can affect its term. */
const LONGEST_READ = 4 * LONGEST_TERM;

const ASCII_SEPARATOR = 0;
const ASCII_UPPER = 2;
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/.test(character)) return 1;
  return /[A-Z]/.test(character) ? ASCII_UPPER : ASCII_SEPARATOR;
});

/** Includes U+0387, which normalisation converts to the middle dot U+00B7. */
const JOINS_ANYTHING = new Set("'-._&@’ʼ‐‑·\u0387׳״");
const JOINS_DIGITS = new Set('/,:');
const DIGIT = /\d/;
const TERM_CHARACTERS = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * Returns the terms of a text: its words in order, followed by its compounds.
 *
 * - Words are folded (`foldWord`). Words that are joined by hyphens, dots, apostrophes and similar characters are also indexed
 *   as a compound: `e-mail` becomes `e`, `mail` and `email`; `C++` becomes `c` and `c++`.
 * - Scripts without spaces, and Korean, become overlapping pairs of letters, followed by the last letter.
 * - A pictograph is a word.
 *
 * Accepts any string. Terms are truncated to 64 code units. Takes linear time: about 40 MB of English text per second.
 */
export function tokenise(text: string): Token[] {
  const scan = new Scan(text);
  scan.run();
  for (const compound of scan.compounds) scan.words.push(compound);
  return scan.words;
}

/** Returns the text to index: the terms, separated by single spaces. */
export function indexedText(text: string): string {
  let indexed = '';
  for (const { term } of tokenise(text)) indexed += indexed === '' ? term : ` ${term}`;
  return indexed;
}

class Scan {
  readonly words: Token[] = [];
  readonly compounds: Token[] = [];
  readonly #text: string;
  /** Index of the first word of the current chain of joined words. */
  #chain = 0;
  /** End of the last word of the chain; -1 if the chain is closed. */
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
      const codePoint = codePointAt(text, at);
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
        const codePoint = codePointAt(text, at);
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

  /** Adds a folded word. A compatibility character can expand to several terms. */
  #pushFolded(folded: string, start: number, end: number): void {
    for (const [term] of folded.matchAll(TERM_CHARACTERS)) this.#push(term, start, end, 'word');
  }

  /** Adds a compound for a word with a trailing `++` or `#`, such as C++ or F#. Returns the offset after the suffix. */
  #suffix(at: number): number {
    const text = this.#text;
    const next = text.charCodeAt(at);
    const suffix = next === 0x23 ? '#' : next === 0x2b && text[at + 1] === '+' ? '++' : '';
    const word = this.words.at(-1);
    if (suffix === '' || word === undefined || word.end !== at) return at;
    const end = at + suffix.length;
    if (end < text.length && characterClass(codePointAt(text, end)) !== SEPARATOR) return at;
    if (word.term.length + suffix.length <= LONGEST_TERM) {
      const { start } = word;
      this.compounds.push({ term: word.term + suffix, start, end, kind: 'compound' });
    }
    return end;
  }

  /** Extends the chain if the word at `start` is joined to the previous one; otherwise starts a new chain. */
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
    if (parts < 2 || parts > MAX_PARTS) return;
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
      const codePoint = codePointAt(text, at);
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

/** Returns the terms of one letter and its combining marks: usually one term. A compatibility character yields one term per letter. */
function unitTerms(text: string, start: number, end: number, codePoint: number): Iterable<string> {
  const written = text.slice(start, Math.min(end, start + LONGEST_UNIT));
  if (end - start === 1 && isFolded(codePoint)) return [written];
  const folded = foldUnit(written);
  if (folded.length === 1) return [folded];
  return Array.from(folded.matchAll(/[\p{L}\p{N}]\p{M}*/gu), ([term]) => cut(term, LONGEST_UNIT));
}

/** Reports whether folding leaves a code point unchanged: most Han characters, kana and Korean syllables. */
function isFolded(codePoint: number): boolean {
  return (
    (codePoint >= 0x4e00 && codePoint <= 0x9fff) ||
    (codePoint >= 0x3041 && codePoint <= 0x30fe) ||
    (codePoint >= 0xac00 && codePoint <= 0xd7a3)
  );
}

/** Truncates a term to a number of UTF-16 code units without splitting surrogate pairs. */
function cut(term: string, longest = LONGEST_TERM): string {
  if (term.length <= longest) return term;
  const last = term.charCodeAt(longest - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return term.slice(0, splitsPair ? longest - 1 : longest);
}

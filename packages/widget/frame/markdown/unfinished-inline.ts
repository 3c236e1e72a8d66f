import { matchFormula } from '@gatehouse/contract/answer-text';
import { MAX_RUN } from './bounded-lexer.ts';

const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Matches the complete or incomplete text in the brackets of a citation. */
const NUMBERS = /^[\d\s,;、，–-]*$/;
/** The part of a link after the link text. `INCOMPLETE_DESTINATION` matches this part while it is incomplete. */
const DESTINATION =
  /^\(\s*(?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/;
const INCOMPLETE_DESTINATION =
  /^\(\s*(?:<[^<>\n]*|(?:<[^<>\n]*>|[^\s<]*)(?:\s+(?:["'(][^"')]*["')]?\s*)?)?)$/;
const ADDRESS = /^<(?:https?|mailto|tel):[^\s<>]*>/i;
/**
 * Ambiguous ends: `!`, a complete or partial address, a partial character reference, a partial citation in CJK brackets,
 * a backslash, a lone surrogate.
 */
const AMBIGUOUS_END =
  /(?:[【［][\d\s,;、，–-]*|\B!|\b(?:https?:\/\/|www\.)\S*|\b(?:https?:?\/?|ht{0,2}|w{1,3})|<[^\s>]*|&#?\w{0,8}|\\|[\uD800-\uDBFF])$/i;

interface Emphasis {
  readonly char: string;
  /** Position of the opening delimiters in the output. */
  at: number;
  length: number;
}

interface Bracket {
  /** Position in the output. For an image, the position of the `!`. */
  readonly at: number;
  /** Position of the text after the bracket. */
  readonly inside: number;
}

/**
 * Completes an unfinished run of inline text. Closes emphasis and code, replaces an incomplete link with its text,
 * and removes an ambiguous end.
 */
export function closeInline(run: string): string {
  return run.length > MAX_RUN ? run : new InlineCloser(run).closed();
}

class InlineCloser {
  /** The remaining input. */
  #rest: string;
  #output = '';
  /** Length of the output up to the end of the last complete code span, link or autolink. */
  #complete = 0;
  readonly #emphasis: Emphasis[] = [];
  readonly #brackets: Bracket[] = [];

  constructor(run: string) {
    this.#rest = run;
  }

  closed(): string {
    while (this.#rest !== '') this.#step(this.#rest.charAt(0));
    for (const bracket of this.#brackets.reverse()) this.#drop(bracket);
    const complete = this.#output.slice(0, this.#complete);
    this.#output =
      `${complete}${this.#output.slice(this.#complete).replace(AMBIGUOUS_END, '')}`.trimEnd();
    return this.#withEmphasisClosed();
  }

  #step(char: string): void {
    if (this.#formula(char)) return;
    if (char === '\\') this.#take(2);
    else if (char === '`') this.#code();
    else if (char === '*' || char === '_' || char === '~') this.#marks(char);
    else if (char === '[') this.#open();
    else if (char === ']') this.#close();
    else if (char === '<') this.#address();
    else this.#take(/^[^\\`*_~[\]<$]+/.exec(this.#rest)?.[0].length ?? 1);
  }

  #take(length: number): void {
    this.#output += this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
  }

  /** Copies a complete element to the output. The end of the element is not ambiguous. */
  #takeComplete(length: number): void {
    this.#take(length);
    this.#complete = this.#output.length;
  }

  /**
   * Copies a formula to the output. If it is not yet clear whether a formula starts here, omits the rest of the run.
   * Exception: if the possible formula starts with a dollar sign, copies the dollar sign and the text up to the first
   * Markdown syntax.
   */
  #formula(char: string): boolean {
    const formula = matchFormula(this.#output.slice(-1), this.#rest, true);
    if (formula === null) return false;
    if (formula !== 'unclear') this.#takeComplete(formula.length);
    else {
      const [literal = ''] =
        char === '$' ? (/^\$(?!\$)[^\\`*_~[\]<&!$]*/.exec(this.#rest) ?? []) : [];
      this.#take(literal.length);
      this.#rest = '';
    }
    return true;
  }

  #address(): void {
    const match = ADDRESS.exec(this.#rest);
    if (match === null) this.#take(1);
    else this.#takeComplete(match[0].length);
  }

  #code(): void {
    const marks = /^`+/.exec(this.#rest)?.[0] ?? '';
    const match = new RegExp(`^${marks}(?!\`)[^]*?[^\`]${marks}(?!\`)`).exec(this.#rest);
    if (match !== null) {
      this.#takeComplete(match[0].length);
      return;
    }
    // Remove closing backticks that have already arrived.
    const code = this.#rest.slice(marks.length).replace(/`+$/, '').trimEnd();
    this.#rest = code === '' ? '' : `${marks}${code}${marks}`;
    this.#takeComplete(this.#rest.length);
  }

  #marks(char: string): void {
    let length = 1;
    while (this.#rest.charAt(length) === char) length++;
    const next = this.#rest.charAt(length);
    if (next === '') {
      // More delimiters can follow and change the meaning of these delimiters.
      this.#rest = '';
      return;
    }
    if (char !== '~' || length === 2) this.#pair(char, length, this.#output.slice(-1), next);
    this.#take(length);
  }

  /** Pairs delimiters by the CommonMark rules for delimiter runs, except the rule about multiples of three. */
  #pair(char: string, length: number, before: string, next: string): void {
    const opens = !SPACE.test(next) && (!PUNCTUATION.test(next) || isEdge(before));
    const closes = !SPACE.test(before) && (!PUNCTUATION.test(before) || isEdge(next));
    let left = length;
    if (closes && (char !== '_' || !opens || PUNCTUATION.test(next))) {
      for (let open = this.#last(char); left > 0 && open >= 0; open = this.#last(char)) {
        const emphasis = this.#emphasis[open] as Emphasis;
        const paired = Math.min(left, emphasis.length);
        left -= paired;
        emphasis.length -= paired;
        if (emphasis.length === 0) this.#emphasis.length = open;
      }
    }
    const isInWord = LETTER.test(before) && LETTER.test(next) && (char === '_' || length === 1);
    if (left > 0 && opens && !isInWord)
      this.#emphasis.push({ char, at: this.#output.length, length: left });
  }

  #last(char: string): number {
    return this.#emphasis.findLastIndex((emphasis) => emphasis.char === char);
  }

  #open(): void {
    const at = this.#output.length - (this.#output.endsWith('!') ? 1 : 0);
    this.#take(1);
    this.#brackets.push({ at, inside: this.#output.length });
  }

  #close(): void {
    const bracket = this.#brackets.pop();
    const after = this.#rest.slice(1);
    if (bracket !== undefined && this.#mayBecomeLink(bracket, after)) {
      this.#drop(bracket);
      this.#rest = '';
    } else {
      const destination = bracket === undefined ? null : DESTINATION.exec(after);
      if (destination === null) this.#take(1);
      else this.#takeComplete(1 + destination[0].length);
    }
  }

  #mayBecomeLink({ at, inside }: Bracket, after: string): boolean {
    return after === ''
      ? isImage({ at, inside }) || !NUMBERS.test(this.#output.slice(inside))
      : INCOMPLETE_DESTINATION.test(after) && !DESTINATION.test(after);
  }

  #drop({ at, inside }: Bracket): void {
    const text = this.#output.slice(inside);
    const isHeldBack = isImage({ at, inside }) || NUMBERS.test(text);
    this.#output = this.#output.slice(0, at) + (isHeldBack ? '' : text);
    for (const emphasis of this.#emphasis) if (emphasis.at >= inside) emphasis.at -= inside - at;
    if (this.#complete >= inside) this.#complete -= inside - at;
  }

  #withEmphasisClosed(): string {
    let marks = '';
    for (const { char, at, length } of this.#emphasis.reverse()) {
      const end = at + length;
      if (end < this.#output.length) marks += char.repeat(length);
      else this.#output = this.#output.slice(0, at).trimEnd();
    }
    return this.#output + marks;
  }
}

function isImage({ at, inside }: Bracket): boolean {
  return inside - at > 1;
}

function isEdge(char: string): boolean {
  return SPACE.test(char) || PUNCTUATION.test(char);
}

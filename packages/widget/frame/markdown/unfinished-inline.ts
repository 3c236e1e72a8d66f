/** A longer run is shown without any marks (`markdown.ts`). */
const LONGEST_RUN = 8_000;

const SPACE = /^\s?$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const LETTER = /[\p{L}\p{N}]/u;
/** What is in brackets that cite, or may still. */
const NUMBERS = /^[\d\s,;、，–-]*$/;
/** What follows the text of a link: all of it, or a part that may go on. */
const DESTINATION =
  /^\(\s*(?:<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/;
const HALF_DESTINATION =
  /^\(\s*(?:<[^<>\n]*|(?:<[^<>\n]*>|[^\s<]*)(?:\s+(?:["'(][^"')]*["')]?\s*)?)?)$/;
const ADDRESS = /^<(?:https?|mailto|tel):[^\s<>]*>/i;
/** At the end: an address or its beginning, one in angle brackets, a reference, an image's mark, a backslash, half a character. */
const HALF =
  /(?:\B!|\b(?:https?:\/\/|www\.)\S*|\b(?:https?:?\/?|ht{0,2}|w{1,3})|<[^\s>]*|&#?\w{0,8}|\\|[\uD800-\uDBFF])$/i;

/** Open emphasis, by where its marks are in what is shown. */
interface Emphasis {
  readonly char: string;
  at: number;
  length: number;
}

/** An open bracket: where it begins in what is shown, and where the text in it does. */
interface Bracket {
  readonly at: number;
  readonly inside: number;
}

/** A run of text that may go on, as it can be shown now: emphasis and code are closed, half a link is its text. */
export function closeInline(run: string): string {
  return run.length > LONGEST_RUN ? run : new InlineCloser(run).closed();
}

class InlineCloser {
  /** What is still to be read. */
  #rest: string;
  #shown = '';
  /** How much of what is shown is code and links that are whole. */
  #whole = 0;
  readonly #emphasis: Emphasis[] = [];
  readonly #brackets: Bracket[] = [];

  constructor(run: string) {
    this.#rest = run;
  }

  closed(): string {
    while (this.#rest !== '') this.#step(this.#rest.charAt(0));
    for (const bracket of this.#brackets.reverse()) this.#drop(bracket);
    const whole = this.#shown.slice(0, this.#whole);
    this.#shown = `${whole}${this.#shown.slice(this.#whole).replace(HALF, '')}`.trimEnd();
    return this.#withEmphasisClosed();
  }

  #step(char: string): void {
    if (char === '\\') this.#take(2);
    else if (char === '`') this.#code();
    else if (char === '*' || char === '_' || char === '~') this.#marks(char);
    else if (char === '[') this.#open();
    else if (char === ']') this.#close();
    else if (char === '<') this.#address();
    else this.#take(/^[^\\`*_~[\]<]+/.exec(this.#rest)?.[0].length ?? 1);
  }

  #take(length: number): void {
    this.#shown += this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
  }

  /** What is not to be taken for half of something at the end. */
  #takeWhole(length: number): void {
    this.#take(length);
    this.#whole = this.#shown.length;
  }

  #address(): void {
    const whole = ADDRESS.exec(this.#rest);
    if (whole === null) this.#take(1);
    else this.#takeWhole(whole[0].length);
  }

  #code(): void {
    const marks = /^`+/.exec(this.#rest)?.[0] ?? '';
    const whole = new RegExp(`^${marks}(?!\`)[^]*?[^\`]${marks}(?!\`)`).exec(this.#rest);
    if (whole !== null) {
      this.#takeWhole(whole[0].length);
      return;
    }
    // Its own end may be half there.
    const code = this.#rest.slice(marks.length).replace(/`+$/, '').trimEnd();
    this.#rest = code === '' ? '' : `${marks}${code}${marks}`;
    this.#takeWhole(this.#rest.length);
  }

  #marks(char: string): void {
    let length = 1;
    while (this.#rest.charAt(length) === char) length++;
    const next = this.#rest.charAt(length);
    if (next === '') {
      // They may become more, and what they do shows only then.
      this.#rest = '';
      return;
    }
    if (char !== '~' || length === 2) this.#pair(char, length, this.#shown.slice(-1), next);
    this.#take(length);
  }

  /** By the rules of CommonMark for what can open and close, without those of threes. */
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
      this.#emphasis.push({ char, at: this.#shown.length, length: left });
  }

  #last(char: string): number {
    return this.#emphasis.findLastIndex((emphasis) => emphasis.char === char);
  }

  #open(): void {
    const at = this.#shown.length - (this.#shown.endsWith('!') ? 1 : 0);
    this.#take(1);
    this.#brackets.push({ at, inside: this.#shown.length });
  }

  #close(): void {
    const bracket = this.#brackets.pop();
    const behind = this.#rest.slice(1);
    if (bracket !== undefined && this.#mayBecomeLink(bracket, behind)) {
      this.#drop(bracket);
      this.#rest = '';
    } else {
      const destination = bracket === undefined ? null : DESTINATION.exec(behind);
      if (destination === null) this.#take(1);
      else this.#takeWhole(1 + destination[0].length);
    }
  }

  #mayBecomeLink({ at, inside }: Bracket, behind: string): boolean {
    return behind === ''
      ? isImage({ at, inside }) || !NUMBERS.test(this.#shown.slice(inside))
      : HALF_DESTINATION.test(behind) && !DESTINATION.test(behind);
  }

  #drop({ at, inside }: Bracket): void {
    const text = this.#shown.slice(inside);
    const isHeldBack = isImage({ at, inside }) || NUMBERS.test(text);
    this.#shown = this.#shown.slice(0, at) + (isHeldBack ? '' : text);
    for (const emphasis of this.#emphasis) if (emphasis.at >= inside) emphasis.at -= inside - at;
    if (this.#whole >= inside) this.#whole -= inside - at;
  }

  #withEmphasisClosed(): string {
    let marks = '';
    for (const { char, at, length } of this.#emphasis.reverse()) {
      const end = at + length;
      if (end < this.#shown.length) marks += char.repeat(length);
      else this.#shown = this.#shown.slice(0, at).trimEnd();
    }
    return this.#shown + marks;
  }
}

function isImage({ at, inside }: Bracket): boolean {
  return inside - at > 1;
}

function isEdge(char: string): boolean {
  return SPACE.test(char) || PUNCTUATION.test(char);
}

import { LONGEST_TERM, tokenise } from '../../../lib/text/index.ts';
import { grown } from './grown.ts';

/** The texts of a passage that a search can find. */
export interface SearchableTexts {
  readonly title: string;
  readonly heading: string;
  readonly body: string;
}

/** Maximum length of a term in UTF-8: each UTF-16 code unit takes up to three bytes. */
const MAX_TERM_BYTES = 3 * LONGEST_TERM;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** An occurrence consists of the elements `PASSAGE`, `NEXT` and one frequency per field. */
const OCCURRENCE = 5;
const PASSAGE = 0;
/** Offset of the next occurrence of the term. 0 after the last occurrence. */
const NEXT = 1;
const TITLE = 2;
const HEADING = 3;
const BODY = 4;

const SEPARATOR = 0;
const WORD = 1;
const UPPER = 2;
const SPACE = 3;
/** `#` and `+`, which extend a word before them. */
const SUFFIX = 4;
const UPPER_TO_LOWER = 32;
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/.test(character)) return WORD;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[ \t\r\n]/.test(character)) return SPACE;
  return /[#+]/.test(character) ? SUFFIX : SEPARATOR;
});

/** Receives the terms of a chunk. */
export interface ChunkTermsSink {
  /** Receives the UTF-8 bytes of the next term and the number of passages that contain the term. */
  term(bytes: Uint8Array, start: number, end: number, passages: number): void;
  /** Receives an occurrence of the last term, in the order of passages. Frequencies are not limited. */
  occurrence(passage: number, title: number, heading: number, body: number): void;
}

/**
 * Counts the terms of consecutive passages. The terms equal those of `tokenise`. Most words of English and of source code are ASCII
 * words between spaces. These words are hashed while they are read and never become strings.
 */
export class ChunkTerms {
  // The arrays start small and grow, because most records are short texts.
  /** The terms in UTF-8, one after the other. */
  #bytes = Buffer.allocUnsafe(1024);
  /** Start of each term in `#bytes`, followed by the end of the last term. */
  #starts = new Uint32Array(64);
  #hashes = new Uint32Array(64);
  /** Offsets of each term's first and last occurrence. */
  #firsts = new Uint32Array(64);
  #lasts = new Uint32Array(64);
  #passages = new Uint32Array(64);
  /** Hash table with open addressing: the number of a term plus 1, or 0. */
  #table = new Uint32Array(256);
  #occurrences = new Uint32Array(128 * OCCURRENCE);
  /** Offset 0 is not used, because it marks the end of a list. */
  #end = OCCURRENCE;
  #passage = 0;
  /** Terms of texts that several passages share, such as the title. */
  readonly #shared = new Map<string, readonly number[]>();
  /** Number of distinct terms. */
  size = 0;

  /** Adds the next passage and returns its length in terms. */
  add({ title, heading, body }: SearchableTexts): number {
    const length =
      this.#addShared(title, TITLE) + this.#addShared(heading, HEADING) + this.#addText(body);
    this.#passage++;
    return length;
  }

  /** Passes all terms to the sink, in the order of their first occurrences. */
  read(sink: ChunkTermsSink): void {
    const occurrences = this.#occurrences;
    for (let term = 0; term < this.size; term++) {
      sink.term(
        this.#bytes,
        this.#starts[term] as number,
        this.#starts[term + 1] as number,
        this.#passages[term] as number,
      );
      for (let at = this.#firsts[term] as number; at !== 0; at = occurrences[at + NEXT] as number)
        sink.occurrence(
          occurrences[at + PASSAGE] as number,
          occurrences[at + TITLE] as number,
          occurrences[at + HEADING] as number,
          occurrences[at + BODY] as number,
        );
    }
  }

  #addShared(text: string, field: number): number {
    let terms = this.#shared.get(text);
    if (terms === undefined) {
      terms = tokenise(text).map(({ term }) => this.#numberOf(term));
      this.#shared.set(text, terms);
    }
    for (const term of terms) this.#count(term, field);
    return terms.length;
  }

  #addText(text: string): number {
    let terms = 0;
    for (let at = 0; at < text.length; ) {
      if (ASCII[text.charCodeAt(at)] === SPACE) {
        at++;
        continue;
      }
      const end = this.#plainWord(text, at);
      if (end > 0) {
        terms += this.#wordFound;
        at = end;
      } else {
        const rest = endOfOthers(text, at);
        // A word is never joined to another one across white space.
        for (const { term } of tokenise(text.slice(at, rest))) {
          this.#count(this.#numberOf(term), BODY);
          terms++;
        }
        at = rest;
      }
    }
    return terms;
  }

  /** Number of words that the last call of `#plainWord` counted: 0 or 1. */
  #wordFound = 0;

  /**
   * Counts the characters from `start` to the next white space if they contain at most one word and only ASCII characters. Returns
   * their end, or 0 if `tokenise` must read them.
   */
  #plainWord(text: string, start: number): number {
    let at = start;
    let type = typeAt(text, at);
    while (type === SEPARATOR || type === SUFFIX) type = typeAt(text, ++at);
    this.#reserveBytes();
    const bytes = this.#bytes;
    const first = this.#starts[this.size] as number;
    const limit = first + LONGEST_TERM;
    let end = first;
    let hash = FNV_OFFSET;
    for (; type === WORD || type === UPPER; type = typeAt(text, ++at)) {
      if (end === limit) continue;
      const code = text.charCodeAt(at) + (type === UPPER ? UPPER_TO_LOWER : 0);
      bytes[end++] = code;
      hash = Math.imul(hash ^ code, FNV_PRIME);
    }
    if (type === SUFFIX && end > first) return 0;
    while (type === SEPARATOR || type === SUFFIX) type = typeAt(text, ++at);
    if (type !== SPACE) return 0;
    this.#wordFound = end > first ? 1 : 0;
    if (end > first) this.#count(this.#find(end, hash), BODY);
    return at;
  }

  #numberOf(term: string): number {
    this.#reserveBytes();
    const first = this.#starts[this.size] as number;
    const end = first + this.#bytes.write(term, first);
    let hash = FNV_OFFSET;
    for (let at = first; at < end; at++)
      hash = Math.imul(hash ^ (this.#bytes[at] as number), FNV_PRIME);
    return this.#find(end, hash);
  }

  /** Returns the number of the term whose bytes follow the last term and end at `end`. Adds the term if it is new. */
  #find(end: number, fnv: number): number {
    // The low bits select the slot, and FNV-1a mixes the high bits better.
    const hash = (fnv ^ (fnv >>> 15)) >>> 0;
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    for (let known = this.#table[slot]; known !== 0; known = this.#table[slot]) {
      if (this.#isLast((known as number) - 1, end, hash)) return (known as number) - 1;
      slot = (slot + 1) & mask;
    }
    const term = this.size++;
    this.#table[slot] = this.size;
    this.#hashes[term] = hash;
    this.#starts[this.size] = end;
    if (this.size * 2 > this.#table.length) this.#rehash();
    if (this.size + 1 === this.#starts.length) this.#growTerms();
    return term;
  }

  /** Reports whether a term equals the bytes that follow the last term and end at `end`. */
  #isLast(term: number, end: number, hash: number): boolean {
    if (this.#hashes[term] !== hash) return false;
    const bytes = this.#bytes;
    let other = this.#starts[term] as number;
    let at = this.#starts[this.size] as number;
    if ((this.#starts[term + 1] as number) - other !== end - at) return false;
    for (; at < end; at++, other++) if (bytes[at] !== bytes[other]) return false;
    return true;
  }

  #count(term: number, field: number): void {
    const last = this.#lasts[term] as number;
    if (last !== 0 && this.#occurrences[last + PASSAGE] === this.#passage) {
      this.#occurrences[last + field] = (this.#occurrences[last + field] as number) + 1;
      return;
    }
    const at = this.#end;
    this.#end += OCCURRENCE;
    if (this.#end > this.#occurrences.length)
      this.#occurrences = grown(this.#occurrences, this.#occurrences.length * 2);
    this.#occurrences[at + PASSAGE] = this.#passage;
    this.#occurrences[at + field] = 1;
    if (last === 0) this.#firsts[term] = at;
    else this.#occurrences[last + NEXT] = at;
    this.#lasts[term] = at;
    this.#passages[term] = (this.#passages[term] as number) + 1;
  }

  #reserveBytes(): void {
    const used = this.#starts[this.size] as number;
    if (used + MAX_TERM_BYTES <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(larger, 0, 0, used);
    this.#bytes = larger;
  }

  #growTerms(): void {
    const length = this.#starts.length * 2;
    this.#starts = grown(this.#starts, length);
    this.#hashes = grown(this.#hashes, length);
    this.#firsts = grown(this.#firsts, length);
    this.#lasts = grown(this.#lasts, length);
    this.#passages = grown(this.#passages, length);
  }

  #rehash(): void {
    const table = new Uint32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (let term = 0; term < this.size; term++) {
      let slot = (this.#hashes[term] as number) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = term + 1;
    }
    this.#table = table;
  }
}

/** Returns the type of an ASCII character, `SPACE` at the end of the text, or -1 for other characters. */
function typeAt(text: string, at: number): number {
  if (at >= text.length) return SPACE;
  const code = text.charCodeAt(at);
  return code < 128 ? (ASCII[code] as number) : -1;
}

/** Returns the end of the characters that are not white space, and of further words if they start with a character beyond ASCII. */
function endOfOthers(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (typeAt(text, at) !== SPACE) at++;
    let next = at;
    while (next < text.length && typeAt(text, next) === SPACE) next++;
    if (next === text.length || typeAt(text, next) !== -1) return at;
    at = next;
  }
}

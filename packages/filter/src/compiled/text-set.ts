import type { WorkMeter } from './work-meter.ts';

/** Minimum number of texts for which an automaton is faster than `includes`. */
const MANY_TEXTS = 32;
/** Maximum number of transitions of an automaton, with two bytes each. Longer texts are truncated. */
const MAX_TRANSITIONS = 500_000;
const MAX_STATES = 65_535;
/** Class 0 contains the code units that occur in no text. */
const MAX_CLASSES = 256;
const CODE_UNITS = 65_536;

/**
 * A set of texts to find in many long strings. With many texts, an Aho-Corasick automaton finds all of them in one pass over a string.
 * The time of the pass hardly depends on the texts, whereas hundreds of calls of `includes` take up to 15 µs each.
 */
export class TextSet {
  readonly #meter: WorkMeter;
  readonly #texts: string[] = [];
  #automaton: Automaton | null = null;
  #scanned: string | null = null;

  constructor(meter: WorkMeter) {
    this.#meter = meter;
  }

  /** Adds a text before the first search. Returns its index. */
  add(text: string): number {
    return this.#texts.push(text) - 1;
  }

  /** Reports whether a string contains a text. */
  isIn(text: string, at: number): boolean {
    const wanted = this.#texts[at] ?? '';
    if (this.#texts.length < MANY_TEXTS) {
      this.#meter.add(text.length);
      return text.includes(wanted);
    }
    this.#automaton ??= new Automaton(this.#texts);
    if (this.#scanned !== text) {
      this.#meter.add(text.length);
      this.#automaton.scan(text);
      this.#scanned = text;
    }
    if (!this.#automaton.hasFound(at)) return false;
    if (this.#automaton.isExact) return true;
    this.#meter.add(text.length);
    return text.includes(wanted);
  }
}

/** An Aho-Corasick automaton over classes of code units. State 0 is the start. */
class Automaton {
  /** `false` if found texts must be verified, because texts were truncated or different code units share a class. */
  readonly isExact: boolean;
  readonly #classOf = new Uint8Array(CODE_UNITS);
  readonly #classes: number;
  readonly #next: Uint16Array;
  /** The end state of each text: the state after its last code unit. */
  readonly #ends: readonly number[];
  /** For each state: the end state of the longest text that has just been found in this state, or 0 if none. */
  readonly #found: Uint16Array;
  /** For the end state of a text: the end state of the longest other text that is a suffix of it, or 0 if none. */
  readonly #shorter: Uint16Array;
  /** For the end state of a text: the number of the last scan that found the text. */
  readonly #foundIn: Uint32Array;
  #scan = 0;

  constructor(texts: readonly string[]) {
    const units = new Set<number>();
    for (const text of texts)
      for (let at = 0; at < text.length; at += 1) units.add(text.charCodeAt(at));
    let unit = 0;
    for (const code of units) this.#classOf[code] = 1 + (unit++ % (MAX_CLASSES - 1));
    this.#classes = 1 + Math.min(units.size, MAX_CLASSES - 1);
    const limit = Math.min(MAX_STATES, MAX_TRANSITIONS / this.#classes);
    const maxLength = Math.floor((limit - 1) / texts.length);
    this.isExact = units.size < MAX_CLASSES && texts.every((text) => text.length <= maxLength);
    const parts = texts.map((text) => text.slice(0, maxLength));
    const maxStates = 1 + parts.reduce((sum, part) => sum + part.length, 0);
    const next = new Uint16Array(maxStates * this.#classes);
    const isEnd = new Uint8Array(maxStates);
    let states = 1;
    this.#ends = parts.map((part) => {
      let state = 0;
      for (let at = 0; at < part.length; at += 1) {
        const transition = state * this.#classes + (this.#classOf[part.charCodeAt(at)] ?? 0);
        if (next[transition] === 0) next[transition] = states++;
        state = next[transition] ?? 0;
      }
      isEnd[state] = 1;
      return state;
    });
    this.#next = next.slice(0, states * this.#classes);
    this.#found = new Uint16Array(states);
    this.#shorter = new Uint16Array(states);
    this.#foundIn = new Uint32Array(states);
    this.#complete(isEnd);
  }

  /**
   * Adds the transitions for mismatches. It proceeds breadth first, because each state needs the completed states of shorter
   * prefixes.
   */
  #complete(isEnd: Uint8Array): void {
    const classes = this.#classes;
    const next = this.#next;
    const longestSuffix = new Uint16Array(this.#found.length);
    const queue: number[] = [0];
    for (const state of queue) {
      const suffix = longestSuffix[state] ?? 0;
      const shorter = this.#found[suffix] ?? 0;
      if (state !== 0) {
        this.#shorter[state] = shorter;
        this.#found[state] = isEnd[state] === 1 ? state : shorter;
      }
      for (let unit = 1; unit < classes; unit += 1) {
        const target = next[state * classes + unit] ?? 0;
        const bySuffix = state === 0 ? 0 : (next[suffix * classes + unit] ?? 0);
        if (target === 0) next[state * classes + unit] = bySuffix;
        else {
          longestSuffix[target] = bySuffix;
          queue.push(target);
        }
      }
    }
  }

  scan(text: string): void {
    this.#scan += 1;
    const classOf = this.#classOf;
    const classes = this.#classes;
    const next = this.#next;
    const found = this.#found;
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = next[state * classes + (classOf[text.charCodeAt(at)] as number)] as number;
      if (found[state] !== 0) this.#mark(found[state] as number);
    }
  }

  /** Reports whether the last scan found a text. */
  hasFound(at: number): boolean {
    const end = this.#ends[at] ?? 0;
    return end === 0 || this.#foundIn[end] === this.#scan;
  }

  #mark(longest: number): void {
    // If this scan has already found a text, it has also found all texts that are suffixes of it.
    for (let end = longest; end !== 0 && this.#foundIn[end] !== this.#scan; ) {
      this.#foundIn[end] = this.#scan;
      end = this.#shorter[end] ?? 0;
    }
  }
}

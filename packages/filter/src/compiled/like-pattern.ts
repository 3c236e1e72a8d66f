import { anyCharacter, anyRun, fold, tokenize } from '../evaluate/text.ts';
import type { WorkMeter } from './work-meter.ts';

/** Work of comparing pieces at single positions, per code unit of the value, after which all positions are compared at once. */
const MAX_WORK_PER_UNIT = 4;

/** The part of a pattern between two `%`: literal texts, and `null` for each `_`. */
type Piece = readonly (string | null)[];

/** A `like` pattern that is tokenized once and then compared with many values. */
export interface LikePattern {
  /** Longest literal text of the pattern. Every matching value contains this text. */
  readonly literal: string;
  /** @param value a folded, well-formed string. */
  matches(value: string): boolean;
}

/**
 * Compiles a `like` pattern. The result agrees with `matchesLike`, but compares literal texts with the string functions of the
 * engine and does not split the value into code points.
 */
export function likePattern(pattern: string, meter: WorkMeter): LikePattern {
  const pieces = piecesOf(pattern);
  const literals = pieces.flat().filter((part) => part !== null);
  const literal = literals.reduce((best, next) => (next.length > best.length ? next : best), '');
  const [first = [], ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined)
    return { literal, matches: (value) => endOf(first, value, 0) === value.length };
  return {
    literal,
    matches(value) {
      meter.add(value.length);
      const limit = new WorkLimit(MAX_WORK_PER_UNIT * value.length, meter);
      let at = endOf(first, value, 0);
      for (const piece of rest) {
        if (at === null) return false;
        at = endOfFirst(piece, value, at, limit);
      }
      if (at === null) return false;
      const start = startAtEnd(last, value);
      return start !== null && start >= at && endOf(last, value, start) === value.length;
    },
  };
}

function piecesOf(pattern: string): readonly Piece[] {
  const pieces: (string | null)[][] = [[]];
  let literal = '';
  const endLiteral = () => {
    if (literal !== '') pieces.at(-1)?.push(literal);
    literal = '';
  };
  for (const token of tokenize(fold(pattern))) {
    if (typeof token === 'string') {
      literal += token;
      continue;
    }
    endLiteral();
    if (token === anyCharacter) pieces.at(-1)?.push(null);
    if (token === anyRun) pieces.push([]);
  }
  endLiteral();
  return pieces;
}

/** Returns the end of the match that starts at the position `from`, or `null` if the piece does not match there. */
function endOf(piece: Piece, value: string, from: number): number | null {
  let at = from;
  for (const part of piece) {
    if (part === null) {
      if (at >= value.length) return null;
      at += lengthOfCharacter(value, at);
    } else if (value.startsWith(part, at)) at += part.length;
    else return null;
  }
  return at;
}

/** Returns the end of the first match of the piece at or after a position, or `null` if there is no match. */
function endOfFirst(piece: Piece, value: string, from: number, limit: WorkLimit): number | null {
  const [first] = piece;
  for (let at = from; at <= value.length; at += lengthOfCharacter(value, at)) {
    if (typeof first === 'string') at = value.indexOf(first, at);
    if (at === -1) return null;
    if (piece.length > 1 && limit.isReached) return endOfFirstByBits(piece, value, at, limit);
    const end = endOf(piece, value, at);
    if (end !== null) return end;
    limit.add(piece.length);
  }
  return null;
}

/**
 * Returns the result of `endOfFirst` with the Shift-And algorithm. Its time per character of the value is one operation per 32 characters
 * of the piece, even if most of the piece matches at every position.
 */
function endOfFirstByBits(
  piece: Piece,
  value: string,
  from: number,
  limit: WorkLimit,
): number | null {
  const minLength = piece.reduce((sum, part) => sum + (part?.length ?? 1), 0);
  if (minLength > value.length - from) return null;
  const tokens = piece.flatMap((part) => (part === null ? [null] : Array.from(part)));
  const words = Math.ceil(tokens.length / 32);
  const anyCharacters = new Int32Array(words);
  for (const [index, token] of tokens.entries()) if (token === null) setBit(anyCharacters, index);
  /** For each character of the piece: the tokens that match it. */
  const matching = new Map<number, Int32Array>();
  for (const [index, token] of tokens.entries()) {
    if (token === null) continue;
    const code = token.codePointAt(0) ?? 0;
    const bits = matching.get(code) ?? anyCharacters.slice();
    setBit(bits, index);
    matching.set(code, bits);
  }
  /** Bit n is set if the first n + 1 tokens match the characters before the position. */
  const state = new Int32Array(words);
  const lastWord = words - 1;
  const lastBit = 1 << ((tokens.length - 1) % 32);
  for (let at = from; at < value.length; ) {
    const code = value.codePointAt(at) ?? 0;
    const bits = matching.get(code) ?? anyCharacters;
    at += code > 0xffff ? 2 : 1;
    let carry = 1;
    for (let word = 0; word < words; word += 1) {
      const before = state[word] as number;
      state[word] = ((before << 1) | carry) & (bits[word] as number);
      carry = before >>> 31;
    }
    if (((state[lastWord] as number) & lastBit) !== 0) return at;
    limit.add(words);
  }
  return null;
}

function setBit(bits: Int32Array, index: number): void {
  const word = index >>> 5;
  bits[word] = (bits[word] as number) | (1 << (index % 32));
}

/** Returns where a match that ends at the end of the value must start, or `null` if the value is too short. */
function startAtEnd(piece: Piece, value: string): number | null {
  let at = value.length;
  for (let index = piece.length - 1; index >= 0; index -= 1) {
    const part = piece[index];
    if (typeof part === 'string') at -= part.length;
    else at -= isTrailingSurrogate(value, at - 1) ? 2 : 1;
    if (at < 0) return null;
  }
  return at;
}

function lengthOfCharacter(value: string, at: number): number {
  return isTrailingSurrogate(value, at + 1) ? 2 : 1;
}

/** In a well-formed string, a trailing surrogate belongs to the code unit before it. */
function isTrailingSurrogate(value: string, at: number): boolean {
  return (value.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** Reports whether a comparison has done more than a certain amount of work. */
class WorkLimit {
  readonly #meter: WorkMeter;
  #left: number;

  constructor(work: number, meter: WorkMeter) {
    this.#left = work;
    this.#meter = meter;
  }

  get isReached(): boolean {
    return this.#left <= 0;
  }

  add(work: number): void {
    this.#left -= work;
    this.#meter.add(work);
  }
}

import { indexedText } from '../../lib/text/index.ts';
import type { SourcePassage } from '../answerer.ts';
import { isKindWord } from './answer-kind.ts';
import { type Candidate, type Inquiry, readPassages } from './candidates.ts';
import { introducesList, type Unit } from './units.ts';

export interface Quote {
  readonly passage: SourcePassage;
  readonly pieces: readonly Piece[];
}

export interface Piece {
  readonly text: string;
  /** `true` for an item of a list whose introduction is also quoted. */
  readonly isItem: boolean;
  readonly isRow: boolean;
  /** `true` if the piece directly follows the previous piece, without an omission. */
  readonly isAdjacent: boolean;
}

/** Minimum share of the question's weight that a quoted unit and its surroundings must cover. */
const MIN_COVERAGE = 0.66;
/** Weight of a weak word, whose rarity says nothing. */
const WEAK = 0.2;
const KIND_WORD = 0.5;
/** An identifier such as `E23` weighs so much that it is quoted, although the rest of the question does not match. */
const IDENTIFIER = 4;
/** Influence of the context of a follow-up question on the order of candidates. */
const CONTEXT = 0.5;
/**
 * Score factor for a unit that contains no time although the question asks for a time. For questions that ask for any other
 * kind of answer (such as an amount), a unit that contains no answer of that kind is never quoted.
 */
const WITHOUT_TIME = 0.9;
/** Score factor for the steps below a heading that covers the question. */
const AS_STEPS = 1.02;
/** Minimum score of further rows and sentences, relative to the best score. */
const EQUAL = 0.999;
const MAX_ROWS = 8;
const MAX_ITEMS = 12;
const MAX_SENTENCES = 2;
/** A question such as `Which orders are late?` has one answer per record. */
const MAX_RECORDS = 8;
/** Maximum combined length of a sentence and the sentence that it depends on. */
const MAX_CONTEXT_LENGTH = 350;
/** Starts of sentences that depend on the previous sentence. */
const DEPENDS =
  /^(?:(?:it|they|this|that|these|those|he|she|after that|otherwise|however|but|then|the same|für (?:diese|dies)|sie|es|er|dies\p{L}*|danach|sonst|jedoch|il|elle|ils|elles|cela|ensuite|sinon|en dessous|cependant|este|esta|esto|ellos|ellas|después|sin embargo|он|она|они|оно|это|эти|иначе|однако|для этого|после этого|هذا|هذه|لكن)(?!\p{L})|これ|それ|ただし|但|否则|这|它)/iu;

interface Scored {
  readonly candidate: Candidate;
  readonly score: number;
}

/**
 * Chooses the sentence, the rows or the list that answers a question. Returns an empty array if no unit covers enough of the
 * question.
 */
export function chooseQuotes(inquiry: Inquiry, passages: readonly SourcePassage[]): Quote[] {
  const { candidates, frequencies } = readPassages(inquiry, passages);
  const weights = weightsOf(inquiry, frequencies, passages.length);
  const scored = candidates
    .flatMap((candidate): Scored[] => {
      const score = scoreOf(candidate, inquiry, weights);
      return score === null ? [] : [{ candidate, score }];
    })
    .sort((a, b) => b.score - a.score || a.candidate.rank - b.candidate.rank);
  const [best] = scored;
  if (best === undefined) return [];
  const equal = scored.filter(({ score }) => score >= best.score * EQUAL);
  if (unitOf(best.candidate).isRow) return rowsLike(best.candidate, equal);
  const list = listAround(best.candidate, equal);
  if (list !== null) return [list];
  const sentences = equal.filter(({ candidate }) => !unitOf(candidate).isRow);
  const records = onePerRecord(sentences);
  return records.length > 1 ? sentencesOf(records, MAX_RECORDS) : sentencesOf(sentences);
}

/** Returns the list of an item if the item beside it answers the question as well, because then the heading answers it. */
function listAround({ passage, units, index }: Candidate, equal: readonly Scored[]): Quote | null {
  const isEqual = (at: number) =>
    units[at]?.isItem === true &&
    equal.some(({ candidate }) => candidate.passage === passage && candidate.index === at);
  if (!isEqual(index) || !(isEqual(index - 1) || isEqual(index + 1))) return null;
  const start = units.findLastIndex(({ isItem }, at) => at < index && !isItem) + 1;
  const pieces = partsFrom(units, start, partsAfter(units, start - 1));
  return { passage, pieces: Array.from(pieces, ([, piece]) => piece) };
}

/** Returns the first sentence of each record. The others mostly repeat it, because they are the record's history. */
function onePerRecord(sentences: readonly Scored[]): Scored[] {
  const first = new Map<SourcePassage, Scored>();
  for (const one of sentences) {
    const { passage } = one.candidate;
    if (passage.isRecord === true && !first.has(passage)) first.set(passage, one);
  }
  return [...first.values()];
}

/** Returns the weight of each term. Terms that occur in few passages weigh more (inverse document frequency). */
function weightsOf(
  { terms, context, kind }: Inquiry,
  frequencies: readonly number[],
  passages: number,
): number[] {
  return [...terms, ...context].map(({ isWeak, word }, at) => {
    if (isWeak) return WEAK;
    const rarity = Math.log(1 + (passages + 1) / ((frequencies[at] ?? 0) + 0.5));
    if (isIdentifier(word)) return rarity * IDENTIFIER;
    return rarity * (isKindWord(word, kind) ? KIND_WORD : 1);
  });
}

/** Reports whether a word is a name with digits, such as `E23`. A number with a unit, such as `30min`, is not. */
function isIdentifier(word: string): boolean {
  return /^\p{L}+\p{N}/u.test(word);
}

/** Returns the score of a candidate, or `null` if it must not be quoted. */
function scoreOf(
  { credits, hasKind, isNear, steps }: Candidate,
  { terms, context, contextShare, kind }: Inquiry,
  weights: readonly number[],
): number | null {
  if (!isNear || (!hasKind && kind !== 'time')) return null;
  const own = coverageOf(credits, weights, 0, terms.length);
  const before = coverageOf(credits, weights, terms.length, terms.length + context.length);
  if ((own ?? 1) < MIN_COVERAGE || (before ?? 1) < contextShare) return null;
  const score = (own ?? 0) + CONTEXT * (before ?? 0);
  if (steps > 0) return score * AS_STEPS;
  return hasKind ? score : score * WITHOUT_TIME;
}

/** Returns the covered share of the weight of some terms, or `null` if there are none. */
function coverageOf(
  credits: readonly number[],
  weights: readonly number[],
  from: number,
  to: number,
): number | null {
  let covered = 0;
  let all = 0;
  for (let at = from; at < to; at++) {
    const weight = weights[at] ?? 0;
    covered += weight * (credits[at] ?? 0);
    all += weight;
  }
  return all === 0 ? null : covered / all;
}

function unitOf({ units, index }: Candidate): Unit {
  return units[index] as Unit;
}

/** Returns one quote with the best row and the rows of its passage that have the same score. */
function rowsLike({ passage }: Candidate, equal: readonly Scored[]): Quote[] {
  const rows = equal
    .map(({ candidate }) => candidate)
    .filter((candidate) => candidate.passage === passage && unitOf(candidate).isRow)
    .sort((a, b) => a.index - b.index)
    .slice(0, MAX_ROWS);
  const pieces = rows.map((candidate, at) => ({
    text: unitOf(candidate).text,
    isItem: false,
    isRow: true,
    isAdjacent: rows[at - 1]?.index === candidate.index - 1,
  }));
  return [{ passage, pieces }];
}

/** Returns quotes of the best sentences, without repetitions. */
function sentencesOf(best: readonly Scored[], most = MAX_SENTENCES): Quote[] {
  const seen = new Set<string>();
  const quoted = new Map<SourcePassage, Map<number, Piece>>();
  for (const { candidate } of best) {
    const key = indexedText(unitOf(candidate).text);
    if (seen.has(key)) continue;
    if (seen.size === most) break;
    seen.add(key);
    const pieces = quoted.get(candidate.passage) ?? new Map<number, Piece>();
    quoted.set(candidate.passage, pieces);
    for (const [index, piece] of piecesOf(candidate)) pieces.set(index, piece);
  }
  return Array.from(quoted, ([passage, pieces]) => ({
    passage,
    pieces: [...pieces]
      .sort(([a], [b]) => a - b)
      .map(([index, piece]) => ({ ...piece, isAdjacent: pieces.has(index - 1) })),
  }));
}

/**
 * Yields a sentence and related pieces with their indexes. If the sentence introduces a list, the related pieces are the items.
 * Otherwise the previous sentence is included if the chosen sentence depends on it, and the next sentence is included if
 * that sentence depends on the chosen one.
 */
function* piecesOf({ units, index, steps }: Candidate): Generator<[number, Piece]> {
  const unit = units[index] as Unit;
  if (steps > 0) {
    yield* partsFrom(units, index, steps);
    return;
  }
  yield [index, pieceOf(unit)];
  if (introducesList(unit)) {
    yield* partsFrom(units, index + 1, partsAfter(units, index));
    return;
  }
  const before = units[index - 1];
  if (before !== undefined && DEPENDS.test(unit.text) && isBeside(before, unit))
    yield [index - 1, pieceOf(before)];
  const after = units[index + 1];
  if (after !== undefined && DEPENDS.test(after.text) && isBeside(after, unit))
    yield [index + 1, pieceOf(after)];
}

function pieceOf({ text, isItem, isRow }: Unit, inList = false): Piece {
  return { text, isItem: inList && isItem, isRow, isAdjacent: false };
}

/** Yields the first units from an index. An ellipsis replaces the items after the first 12. */
function* partsFrom(
  units: readonly Unit[],
  start: number,
  count: number,
): Generator<[number, Piece]> {
  for (const [at, unit] of units.slice(start, start + count).entries()) {
    const piece = pieceOf(unit, true);
    if (at === MAX_ITEMS) yield [start + at, { ...piece, text: '…' }];
    if (at < MAX_ITEMS) yield [start + at, piece];
  }
}

/** Returns the number of units that complete an introduction: a list, the first rows of a table, or the next two sentences. */
function partsAfter(units: readonly Unit[], index: number): number {
  const rest = units.slice(index + 1);
  const [first] = rest;
  if (first === undefined) return 0;
  const belongs = ({ isItem, block }: Unit) => (first.isItem ? isItem : block === first.block);
  const end = rest.findIndex((unit) => !belongs(unit));
  const count = end === -1 ? rest.length : end;
  if (first.isItem) return count;
  return Math.min(count, first.isRow ? MAX_ROWS : MAX_SENTENCES);
}

function isBeside(one: Unit, other: Unit): boolean {
  if (one.block !== other.block || one.isRow || other.isRow || one.isItem !== other.isItem)
    return false;
  return !/[?？؟:：]$/.test(one.text) && one.text.length + other.text.length <= MAX_CONTEXT_LENGTH;
}

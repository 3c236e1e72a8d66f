import { isEmpty, type Query, readQuery } from '../../lib/text/index.ts';
import type { SourcePassage } from '../answerer.ts';
import { type Candidate, candidatesOf, type Unit } from './candidates.ts';
import { saysNothing } from './common-words.ts';
import type { Language } from './language.ts';

/** What is quoted of a passage. */
export interface Quote {
  readonly passage: SourcePassage;
  /** In the order of the passage. */
  readonly pieces: readonly Piece[];
}

export interface Piece {
  readonly text: string;
  /** It has a line of its own: an item of a list that a piece before it announces, or a row of a table. */
  readonly ownLine: boolean;
  /** It stands right behind the piece before it; else something was left out. */
  readonly follows: boolean;
}

const MOST_UNITS = 4;
/** UTF-16 units of all quotes together; what is picked before it is reached is quoted whole. */
const ENOUGH_TEXT = 900;
/** A sentence behind the best one is quoted with it up to this length of both. */
const CONTEXT_TEXT = 350;
const MOST_ITEMS = 6;
/** Of the best score, what another unit must have. */
const LEAST_SHARE = 0.45;
/** What a part counts that stands in the heading alone, that stands there too, and that was quoted already. */
const FROM_HEADING = 0.5;
const IN_HEADING_TOO = 1.3;
const AGAIN = 0.5;
/** How much less each passage counts than the one ranked before it. */
const RANK_FALL = 0.1;

/** What a question is about: its query without the words that it is merely asked with, unless there are no others. */
export function subjectOf(question: string, language: Language): Query {
  const query = readQuery(question, { unfinished: false });
  const terms = query.terms.filter(({ term }) => !saysNothing(term, language));
  const subject = { ...query, terms };
  return isEmpty(subject) ? query : subject;
}

/** How many things a query is about. */
export function partsOf({ terms, phrases }: Query): number {
  return terms.length + phrases.length;
}

/** The units that say most about the query, each new one because it adds something; none when nothing speaks of it. */
export function chooseQuotes(query: Query, passages: readonly SourcePassage[]): Quote[] {
  const left = candidatesOf(query, passages);
  const weights = weightsOf(left, partsOf(query));
  const picked = new Picked();
  let best = 0;
  for (let count = 0; count < MOST_UNITS && picked.length < ENOUGH_TEXT; count++) {
    const fresh = left.filter((candidate) => !picked.has(candidate));
    const [first] = fresh
      .map((candidate) => ({ candidate, score: scoreOf(candidate, weights, picked.said) }))
      .sort((a, b) => b.score - a.score);
    if (first === undefined || first.score < best * LEAST_SHARE) break;
    best ||= first.score;
    picked.add(first.candidate, count === 0);
  }
  return picked.quotes();
}

/** A part that few units have says more than one that most have. */
function weightsOf(candidates: readonly Candidate[], parts: number): number[] {
  return Array.from({ length: parts }, (_, part) => {
    const having = candidates.filter(({ own }) => own.has(part)).length;
    return Math.log(1 + (candidates.length + 1) / (having + 0.5));
  });
}

function scoreOf(
  { own, above, rank, index }: Candidate,
  weights: readonly number[],
  said: ReadonlySet<number>,
): number {
  let score = 0;
  for (const [part, weight] of weights.entries()) {
    const inHeading = above.has(part);
    const share = own.has(part) ? (inHeading ? IN_HEADING_TOO : 1) : inHeading ? FROM_HEADING : 0;
    score += weight * share * (said.has(part) ? AGAIN : 1);
  }
  return (score * (index === 0 ? 1.1 : 1)) / (1 + RANK_FALL * rank);
}

class Picked {
  readonly said = new Set<number>();
  length = 0;
  readonly #keys = new Set<string>();
  readonly #passages = new Map<SourcePassage, Map<number, Omit<Piece, 'follows'>>>();

  /** Whether it is quoted already, be it from another document. */
  has({ passage, index, key }: Candidate): boolean {
    return this.#keys.has(key) || this.#passages.get(passage)?.has(index) === true;
  }

  add(candidate: Candidate, isBest: boolean): void {
    const { index, units, own, above, key } = candidate;
    for (const part of [...own, ...above]) this.said.add(part);
    this.#keys.add(key);
    this.#take(candidate, index, (units[index] as Unit).row);
    if (announces(units[index] as Unit)) {
      for (let item = 1; item <= MOST_ITEMS; item++) this.#take(candidate, index + item, true);
    } else if (isBest && isContext(units[index] as Unit, units[index + 1])) {
      this.#take(candidate, index + 1, false);
    }
  }

  #take({ passage, units }: Candidate, index: number, ownLine: boolean): void {
    const text = units[index]?.text;
    if (text === undefined) return;
    const taken = this.#passages.get(passage) ?? new Map<number, Omit<Piece, 'follows'>>();
    this.#passages.set(passage, taken);
    if (taken.has(index)) return;
    taken.set(index, { text, ownLine });
    this.length += text.length;
  }

  quotes(): Quote[] {
    return Array.from(this.#passages, ([passage, taken]) => ({
      passage,
      pieces: [...taken]
        .sort(([a], [b]) => a - b)
        .map(([index, piece]) => ({ ...piece, follows: taken.has(index - 1) })),
    }));
  }
}

function announces({ text }: Unit): boolean {
  return /[:：]$/.test(text);
}

/** Whether a sentence behind the best one is probably still about the same. */
function isContext(best: Unit, next: Unit | undefined): boolean {
  if (next === undefined || next.block !== best.block || best.row || next.row) return false;
  return !/[?？؟:：]$/.test(next.text) && best.text.length + next.text.length <= CONTEXT_TEXT;
}

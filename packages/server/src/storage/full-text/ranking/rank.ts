import { correct } from './corrections.ts';
import { frequencyOf, ordinalOf } from './postings.ts';
import type { TermGroup } from './query-groups.ts';
import type { TermIndex } from './term-index.ts';
import type { VisiblePassages } from './visible-passages.ts';

/** Parameters of BM25. */
const K1 = 1.2;
const B = 0.75;

export interface RankedOrdinal {
  readonly ordinal: number;
  readonly score: number;
}

/** Factor of frequencies in groups with other forms. Other forms count half, so the factor makes all sums integers. */
const FORM_UNIT = 2;

/** Arrays that all searches reuse. `scores`, `required` and `sums` have ordinals as indices and are all zeros between searches. */
export class Scratch {
  scores = new Float64Array(0);
  /** Number of required groups that each passage matches. */
  required = new Uint8Array(0);
  /** Sums of frequencies, for groups of several terms. */
  sums = new Uint32Array(0);
  // The contents of the following arrays are undefined between searches.
  buffer = new Uint32Array(0);
  matched = new Uint32Array(0);
  frequencies = new Uint32Array(0);
  candidates = new Uint32Array(0);

  reserve(ordinals: number): void {
    if (ordinals <= this.scores.length) return;
    const size = Math.ceil(ordinals * 1.25);
    this.scores = new Float64Array(size);
    this.required = new Uint8Array(size);
    this.sums = new Uint32Array(size);
    this.buffer = new Uint32Array(size);
    this.matched = new Uint32Array(size);
    this.frequencies = new Uint32Array(size);
    this.candidates = new Uint32Array(size);
  }
}

/**
 * Returns the best passages of a scope by BM25, best first. The document frequency of each group, the number of passages and
 * their average length are computed from the scope alone. Passages with equal scores are ordered by document number and position.
 * The result depends only on the visible passages and the numbers of their documents.
 *
 * The frequency of a group in a passage is the weighted sum over the fields and the terms of the group; see `FIELD_WEIGHTS` and
 * `TermGroup.exact`. If the scope contains no form of a word, the word is corrected.
 */
export function rank(
  index: TermIndex,
  visible: VisiblePassages,
  groups: readonly TermGroup[],
  limit: number,
  scratch: Scratch = new Scratch(),
): RankedOrdinal[] {
  scratch.reserve(index.size);
  const { candidates, scores, required } = scratch;
  const toMatch = groups.filter((group) => group.required).length;
  let found = 0;
  for (const group of groups) {
    let matches = countMatches(index, visible, group, scratch);
    if (matches === 0 && group.required) break;
    if (matches === 0 && group.word !== null) {
      const corrected = correct(index, visible, group.word, scratch.buffer);
      if (corrected !== null) matches = countMatches(index, visible, corrected, scratch);
    }
    found = addScores(index, visible, group, scratch, matches, found);
  }
  const best = new Best(index, limit);
  for (let at = 0; at < found; at++) {
    const ordinal = candidates[at] as number;
    if (toMatch === 0 || required[ordinal] === toMatch)
      best.add(ordinal, scores[ordinal] as number);
    scores[ordinal] = 0;
  }
  if (toMatch > 0) for (let at = 0; at < found; at++) required[candidates[at] as number] = 0;
  return best.sorted();
}

/**
 * Writes the visible passages that contain the group to `matched`, and its frequencies in these passages to `frequencies`. Returns
 * the number of passages. In a group with other forms, frequencies are multiplied by `FORM_UNIT`.
 */
function countMatches(
  index: TermIndex,
  visible: VisiblePassages,
  { terms, exact }: Pick<TermGroup, 'terms' | 'exact'>,
  { buffer, matched, frequencies, sums }: Scratch,
): number {
  const { bits } = visible;
  const factorOf = (term: number) => (exact?.includes(term) ? FORM_UNIT : 1);
  const [only] = terms;
  if (terms.length === 1 && only !== undefined) {
    const length = visible.read(index, only, buffer);
    const matches = keepVisible(buffer, length, bits, factorOf(only), matched, frequencies);
    if (matches === 0) visible.addHiddenTerm(only);
    return matches;
  }
  let matches = 0;
  for (const term of terms) {
    const length = visible.read(index, term, buffer);
    const before = matches;
    matches = sumVisible(buffer, length, bits, factorOf(term), sums, matched, before);
    if (matches === before && visible.countIn(buffer, length) === 0) visible.addHiddenTerm(term);
  }
  for (let at = 0; at < matches; at++) {
    const ordinal = matched[at] as number;
    frequencies[at] = sums[ordinal] as number;
    sums[ordinal] = 0;
  }
  return matches;
}

function keepVisible(
  buffer: Uint32Array,
  length: number,
  bits: Uint32Array,
  factor: number,
  matched: Uint32Array,
  frequencies: Uint32Array,
): number {
  let matches = 0;
  for (let at = 0; at < length; at++) {
    const posting = buffer[at] as number;
    const ordinal = ordinalOf(posting);
    if ((((bits[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1) === 0) continue;
    matched[matches] = ordinal;
    frequencies[matches++] = factor * frequencyOf(posting);
  }
  return matches;
}

function sumVisible(
  buffer: Uint32Array,
  length: number,
  bits: Uint32Array,
  factor: number,
  sums: Uint32Array,
  matched: Uint32Array,
  before: number,
): number {
  let matches = before;
  for (let at = 0; at < length; at++) {
    const posting = buffer[at] as number;
    const ordinal = ordinalOf(posting);
    if ((((bits[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1) === 0) continue;
    const sum = sums[ordinal] as number;
    if (sum === 0) matched[matches++] = ordinal;
    sums[ordinal] = sum + factor * frequencyOf(posting);
  }
  return matches;
}

/** Adds the scores of a group to `scores` and new passages to `candidates`. Returns the number of candidates. */
function addScores(
  { lengths }: TermIndex,
  visible: VisiblePassages,
  group: TermGroup,
  { frequencies, matched, scores, required, candidates }: Scratch,
  matches: number,
  before: number,
): number {
  let found = before;
  const idf = Math.log(1 + (visible.count - matches + 0.5) / (matches + 0.5));
  const weight = group.weight * idf * (K1 + 1);
  const unit = group.exact === null ? 1 : FORM_UNIT;
  const constant = unit * K1 * (1 - B);
  const perTerm = (unit * K1 * B * visible.count) / visible.terms;
  for (let at = 0; at < matches; at++) {
    const ordinal = matched[at] as number;
    const frequency = frequencies[at] as number;
    const score = scores[ordinal] as number;
    if (score === 0) candidates[found++] = ordinal;
    const length = lengths[ordinal] as number;
    scores[ordinal] = score + (weight * frequency) / (frequency + constant + perTerm * length);
  }
  if (group.required)
    for (let at = 0; at < matches; at++) {
      const ordinal = matched[at] as number;
      required[ordinal] = (required[ordinal] as number) + 1;
    }
  return found;
}

const MIN_BUFFER = 256;

/** Collects the best passages. Sorts only when the buffer is full, so the amortised time per passage is constant. */
class Best {
  readonly #index: TermIndex;
  readonly #limit: number;
  readonly #capacity: number;
  #buffer: RankedOrdinal[] = [];
  /** Score below which a passage cannot be among the best. 0 until the buffer is full for the first time. */
  #threshold = 0;

  constructor(index: TermIndex, limit: number) {
    this.#index = index;
    this.#limit = limit;
    this.#capacity = Math.max(2 * limit, MIN_BUFFER);
  }

  add(ordinal: number, score: number): void {
    if (score < this.#threshold) return;
    this.#buffer.push({ ordinal, score });
    if (this.#buffer.length < this.#capacity) return;
    this.#buffer = this.sorted();
    this.#threshold = this.#buffer.at(-1)?.score ?? 0;
  }

  sorted(): RankedOrdinal[] {
    return this.#buffer.sort((one, other) => this.#compare(one, other)).slice(0, this.#limit);
  }

  #compare(one: RankedOrdinal, other: RankedOrdinal): number {
    if (one.score !== other.score) return other.score - one.score;
    const difference =
      this.#index.documentOf(one.ordinal).number - this.#index.documentOf(other.ordinal).number;
    // Within a document, ordinals follow positions.
    return difference !== 0 ? difference : one.ordinal - other.ordinal;
  }
}

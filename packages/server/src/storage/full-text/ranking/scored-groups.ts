import { LONGEST_TERM, stemPrefix } from '../../../lib/text/index.ts';
import type { TermIndex } from '../terms/index.ts';
import { editDistance } from './edit-distance.ts';
import { formsOf, type TermGroup } from './query-groups.ts';
import type { Scratch } from './scratch.ts';
import { type PostingList, TermCollector } from './term-collector.ts';
import type { VisiblePassages } from './visible-passages.ts';

/** Parameters of BM25. */
const K1 = 1.2;
const B = 0.75;

/** Factor of frequencies in groups with other forms. Other forms count half, so the factor makes all sums integers. */
const FORM_UNIT = 2;

type Terms = Pick<TermGroup, 'terms' | 'exact'>;

interface WeightedList {
  readonly list: PostingList;
  /** Factor of the frequencies. */
  readonly factor: number;
}

/** A group that occurs in the scope, with the values that its scores need. */
export interface ScoredGroup {
  readonly lists: readonly WeightedList[];
  /** `true`: a passage can have several postings. */
  readonly sums: boolean;
  readonly required: boolean;
  /** Upper bound of the scores. A score is `bound * f / (f + constant + perTerm * length of the passage)`. */
  readonly bound: number;
  readonly constant: number;
  readonly perTerm: number;
}

/**
 * Returns the groups that occur in the scope, highest bound first, or `null` if a required group does not occur. If the scope contains no form
 * of a word, the word is corrected. The result depends only on the visible passages, except for the kind of each list.
 */
export function scoredGroups(
  index: TermIndex,
  visible: VisiblePassages,
  groups: readonly TermGroup[],
  scratch: Scratch,
): readonly ScoredGroup[] | null {
  const collector = new TermCollector(index, visible, scratch);
  const scored: ScoredGroup[] = [];
  for (const group of groups) {
    let one = toScored(visible, group, group, collector);
    if (one === null && group.required) return null;
    if (one === null && group.word !== null) {
      const corrected = correct(index, group.word, (term) => collector.count(term));
      if (corrected !== null) one = toScored(visible, group, corrected, collector);
    }
    if (one !== null) scored.push(one);
  }
  return scored.sort((one, other) => other.bound - one.bound);
}

/** Returns `null` if no visible passage contains one of the terms. */
function toScored(
  { count, terms: length }: VisiblePassages,
  { weight, required }: TermGroup,
  forms: Terms,
  collector: TermCollector,
): ScoredGroup | null {
  const { exact } = forms;
  const terms = exact !== null && collector.isExhausted ? exact : forms.terms();
  const collected = collector.collect(terms);
  if (collected === null) return null;
  const { common, rare, passages } = collected;
  const lists: WeightedList[] = common.map(({ term, list }) => ({
    list,
    factor: exact?.includes(term) ? FORM_UNIT : 1,
  }));
  if (rare !== null) {
    lists.push({ list: rare, factor: 1 });
    // The list of rare terms contains an exact term once, as it contains other forms.
    for (const term of exact ?? []) {
      if (common.some((one) => one.term === term)) continue;
      const found = collector.collectTerm(term);
      if (found !== null) lists.push({ list: found.list, factor: FORM_UNIT - 1 });
    }
  }
  const idf = Math.log(1 + (count - passages + 0.5) / (passages + 0.5));
  const unit = exact === null ? 1 : FORM_UNIT;
  return {
    ...{ lists, sums: terms.length > 1, required },
    bound: weight * idf * (K1 + 1),
    constant: unit * K1 * (1 - B),
    perTerm: (unit * K1 * B * count) / length,
  };
}

/** Number of letters from which a word may have two typing errors. Shorter words may have one. */
const MIN_LENGTH_FOR_TWO = 8;
/** Maximum number of corrections of a word. */
const MAX_CORRECTIONS = 3;
const WORD = /^[\p{L}\p{M}]+$/u;

/** Returns the number of visible passages that contain a term. */
type CountOf = (term: number) => number;

interface Correction {
  readonly term: string;
  /** Number of visible passages that contain the term. */
  readonly passages: number;
}

/**
 * Returns the group that replaces a misspelt word: the most similar terms of the scope and their other forms. Returns `null` if no
 * term is similar. Only terms that start with the same letter are considered. The result depends only on the visible passages.
 */
function correct(
  index: TermIndex,
  word: string,
  countOf: CountOf,
): Pick<TermGroup, 'terms' | 'exact' | 'weight'> | null {
  const corrections = correctionsOf(index, word, countOf);
  if (corrections.length === 0) return null;
  return formsOf(
    index,
    corrections.map((term) => ({ term, prefix: stemPrefix(term) })),
  );
}

/** Returns the terms with the smallest edit distance, the most frequent ones first. */
function correctionsOf(
  { dictionary }: TermIndex,
  word: string,
  countOf: CountOf,
): readonly string[] {
  const bytes = Buffer.from(word);
  const letters = codePointsOf(bytes, new Uint32Array(bytes.length));
  const read = new Uint32Array(LONGEST_TERM);
  const maximum = letters.length < MIN_LENGTH_FOR_TWO ? 1 : 2;
  const byDistance: Correction[][] = [[], [], []];
  // No visible passage contains the word itself, but a hidden passage may.
  const own = dictionary.find(bytes);
  for (const number of dictionary.similarTo(bytes, maximum)) {
    if (number === own) continue;
    // Terms outside the scope are skipped before the slow comparison. Otherwise the duration of a search would reveal them.
    const passages = countOf(number);
    if (passages === 0) continue;
    const encoded = dictionary.bytesOf(number);
    const distance = editDistance(letters, codePointsOf(encoded, read), maximum);
    if (distance > maximum) continue;
    const term = Buffer.from(encoded).toString();
    if (WORD.test(term)) byDistance[distance]?.push({ term, passages });
  }
  const nearest = byDistance.find((some) => some.length > 0) ?? [];
  return nearest
    .toSorted((one, other) => other.passages - one.passages || (one.term < other.term ? -1 : 1))
    .slice(0, MAX_CORRECTIONS)
    .map(({ term }) => term);
}

/**
 * Decodes UTF-8.
 *
 * @param into receives the code points. Must have room for all of them.
 */
function codePointsOf(bytes: Uint8Array, into: Uint32Array): Uint32Array {
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const first = bytes[at++] as number;
    const mask = first < 0x80 ? 0x7f : first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 0x07;
    let codePoint = first & mask;
    while (at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80)
      codePoint = (codePoint << 6) | ((bytes[at++] as number) & 0x3f);
    into[count] = codePoint;
  }
  return into.subarray(0, count);
}

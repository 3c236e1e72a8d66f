import { bitsOf, type TermIndex } from '../terms/index.ts';
import { correct } from './corrections.ts';
import type { TermGroup } from './query-groups.ts';
import { type Scratch, WINDOW } from './scratch.ts';
import type { KeptPostings, PostingsReader, VisiblePassages } from './visible-passages.ts';

/** Parameters of BM25. */
const K1 = 1.2;
const B = 0.75;

/** Factor of frequencies in groups with other forms. Other forms count half, so the factor makes all sums integers. */
const FORM_UNIT = 2;

/** Number of reads of a term in a window that take as long as sorting one posting. */
const READS_PER_SORTED = 8;

/** Has no room, so a reader only counts postings. */
const NOTHING_KEPT: KeptPostings = { array: new Uint32Array(0), used: 0 };

/** The elements of `Scratch.kept` from `start` to `end`: the visible postings of one term or more, in ascending order. */
export interface KeptList {
  readonly start: number;
  readonly end: number;
  /** Factor of the frequencies. */
  readonly factor: number;
}

/** The visible postings of a term that did not fit into `Scratch.kept`. */
export interface UnkeptList {
  readonly start: null;
  readonly term: number;
  readonly factor: number;
}

/** A group that occurs in the scope, with the values that its scores need. */
export interface ScoredGroup {
  readonly lists: readonly (KeptList | UnkeptList)[];
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
 * of a word, the word is corrected. The result depends only on the visible passages.
 */
export function scoredGroups(
  index: TermIndex,
  visible: VisiblePassages,
  groups: readonly TermGroup[],
  scratch: Scratch,
): readonly ScoredGroup[] | null {
  const { buffer, union } = scratch;
  const kept = { array: scratch.kept, used: 0 };
  const reader = { cursor: index.postings.cursor(), buffer, kept };
  const scored: ScoredGroup[] = [];
  for (const group of groups) {
    let found = inScope(index, visible, group, reader, union);
    if (found === null && group.required) return null;
    if (found === null && group.word !== null) {
      const corrected = correct(index, visible, group.word, { ...reader, kept: NOTHING_KEPT });
      if (corrected !== null) found = inScope(index, visible, corrected, reader, union);
    }
    if (found !== null) scored.push(toScored(visible, group, found));
  }
  return scored.sort((one, other) => other.bound - one.bound);
}

interface Found extends Pick<ScoredGroup, 'lists' | 'sums'> {
  readonly exact: TermGroup['exact'];
  /** Number of visible passages that contain a term of the group. */
  readonly passages: number;
}

/** Collects the postings of a group in the scope. Returns `null` if there are none. */
function inScope(
  index: TermIndex,
  visible: VisiblePassages,
  { terms, exact }: Pick<TermGroup, 'terms' | 'exact'>,
  reader: PostingsReader,
  union: Uint32Array,
): Found | null {
  const { kept } = reader;
  const sums = terms.length > 1;
  const merges = areRare(index, terms);
  const lists: (KeptList | UnkeptList)[] = [];
  let passages = 0;
  /** Start of the postings of other forms. They are adjacent, because exact terms come first. */
  let forms: number | null = null;
  for (const term of terms) {
    const start = kept.used;
    const count = visible.collect(index, term, reader, sums ? union : null);
    if (count === 0) continue;
    passages += count;
    const factor = exact?.includes(term) ? FORM_UNIT : 1;
    if (kept.used === start) lists.push({ start: null, term, factor });
    else if (merges && factor === 1) forms ??= start;
    else lists.push({ start, end: kept.used, factor });
  }
  if (forms !== null) {
    kept.array.subarray(forms, kept.used).sort();
    lists.push({ start: forms, end: kept.used, factor: 1 });
  }
  if (passages === 0) return null;
  return { lists, sums, exact, passages: sums ? countAndClear(union) : passages };
}

/** Reports whether sorting the postings of all terms takes less time than reading each term in each window. */
function areRare({ postings, size }: TermIndex, terms: readonly number[]): boolean {
  const total = terms.reduce((sum, term) => sum + postings.count(term), 0);
  return total * READS_PER_SORTED < terms.length * Math.ceil(size / WINDOW);
}

function countAndClear(set: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < set.length; at++) count += bitsOf(set[at] as number);
  set.fill(0);
  return count;
}

function toScored(
  { count, terms: length }: VisiblePassages,
  { weight, required }: TermGroup,
  { lists, sums, exact, passages }: Found,
): ScoredGroup {
  const idf = Math.log(1 + (count - passages + 0.5) / (passages + 0.5));
  const unit = exact === null ? 1 : FORM_UNIT;
  return {
    ...{ lists, sums, required },
    bound: weight * idf * (K1 + 1),
    constant: unit * K1 * (1 - B),
    perTerm: (unit * K1 * B * count) / length,
  };
}

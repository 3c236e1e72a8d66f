import { bitsOf, ordinalOf, type TermIndex } from '../terms/index.ts';
import { correct } from './corrections.ts';
import type { TermGroup } from './query-groups.ts';
import { type Scratch, WINDOW } from './scratch.ts';
import type { KeptPostings, PostingsReader, VisiblePassages } from './visible-passages.ts';

/** Parameters of BM25. */
const K1 = 1.2;
const B = 0.75;

/** Factor of frequencies in groups with other forms. Other forms count half, so the factor makes all sums integers. */
const FORM_UNIT = 2;

/** Minimum number of postings per window of a term that is read separately. */
const POSTINGS_PER_WINDOW = 4;

/** Has no room, so a reader only counts postings. */
const NOTHING_KEPT: KeptPostings = { array: new Uint32Array(0), used: 0 };

/** The elements of `Scratch.kept` from `start` to `end`: the visible postings of one term or more, ordered by their windows. */
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
  const { common, rare } = byFrequency(index, terms, exact);
  const lists: (KeptList | UnkeptList)[] = [];
  let passages = 0;
  for (const term of common) {
    const start = kept.used;
    const count = visible.collect(index, term, reader, sums ? union : null);
    passages += count;
    const factor = exact?.includes(term) ? FORM_UNIT : 1;
    if (kept.used > start) lists.push({ start, end: kept.used, factor });
    else if (count > 0) lists.push({ start: null, term, factor });
  }
  const first = kept.used;
  for (const term of rare) {
    const start = kept.used;
    const count = visible.collect(index, term, reader, union);
    passages += count;
    if (count > 0 && kept.used === start) lists.push({ start: null, term, factor: 1 });
  }
  if (kept.used > first) {
    orderByWindow(kept.array.subarray(first, kept.used), Math.ceil(index.size / WINDOW));
    lists.push({ start: first, end: kept.used, factor: 1 });
  }
  if (passages === 0) return null;
  return { lists, sums, exact, passages: sums ? countAndClear(union) : passages };
}

/** Separates other forms with few postings. Reading each of them in each window would take longer than reading them together. */
function byFrequency(
  { postings, size }: TermIndex,
  terms: readonly number[],
  exact: readonly number[] | null,
): { readonly common: readonly number[]; readonly rare: readonly number[] } {
  const fewest = Math.ceil(size / WINDOW) * POSTINGS_PER_WINDOW;
  const common: number[] = [];
  const rare: number[] = [];
  for (const term of terms) {
    const isRare = postings.count(term) < fewest && exact?.includes(term) !== true;
    if (isRare) rare.push(term);
    else common.push(term);
  }
  return rare.length > 1 ? { common, rare } : { common: terms, rare: [] };
}

/** Orders postings by their windows. Within a window, their order is undefined. */
function orderByWindow(postings: Uint32Array, windows: number): void {
  const ends = new Uint32Array(windows + 1);
  for (const posting of postings) {
    const window = windowOf(posting) + 1;
    ends[window] = (ends[window] as number) + 1;
  }
  for (let window = 1; window <= windows; window++)
    ends[window] = (ends[window] as number) + (ends[window - 1] as number);
  for (const posting of postings.slice()) {
    const window = windowOf(posting);
    const at = ends[window] as number;
    postings[at] = posting;
    ends[window] = at + 1;
  }
}

function windowOf(posting: number): number {
  return Math.floor(ordinalOf(posting) / WINDOW);
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

import type { TermIndex } from '../terms/index.ts';
import { correct } from './corrections.ts';
import type { TermGroup } from './query-groups.ts';
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

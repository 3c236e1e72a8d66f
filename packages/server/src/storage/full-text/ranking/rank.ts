import type { TermIndex } from '../terms/index.ts';
import { Best, type RankedOrdinal } from './best.ts';
import { GroupPostings } from './group-postings.ts';
import type { TermGroup } from './query-groups.ts';
import { type ScoredGroup, scoredGroups } from './scored-groups.ts';
import { Scratch, WINDOW } from './scratch.ts';
import type { VisiblePassages } from './visible-passages.ts';
import { Window } from './window.ts';

/** Sums of rounded numbers can exceed the sum of their bounds by less than this factor. */
const ROUNDING = 1 + 1e-9;

/**
 * Returns the best passages of a scope by BM25, best first. The document frequency of each group, the number of passages and
 * their average length are computed from the scope alone. Passages with equal scores are ordered by document number and position.
 * The result depends only on the visible passages and the numbers of their documents.
 *
 * The frequency of a group in a passage is the weighted sum over the fields and the terms of the group; see `FIELD_WEIGHTS` and
 * `TermGroup.exact`. If the scope contains no form of a word, the word is corrected.
 *
 * The passages are scored window by window. As soon as a passage that contains only the most frequent groups cannot be among the
 * best, these groups are scored only in passages that contain another group (MaxScore, Turtle and Flood 1995). If the postings do not
 * fit into `Scratch.kept`, all passages are one window, so that each term is read only once more.
 */
export function rank(
  index: TermIndex,
  visible: VisiblePassages,
  groups: readonly TermGroup[],
  limit: number,
  scratch: Scratch = new Scratch(0),
): RankedOrdinal[] {
  scratch.reserve(WINDOW, index.size);
  const scored = scoredGroups(index, visible, groups, scratch);
  if (scored === null || scored.length === 0) return [];
  const size = isKept(scored) ? WINDOW : index.size;
  scratch.reserve(size, index.size);
  const required = scored.filter((group) => group.required).length;
  const window = new Window(index.lengths, scratch);
  const postings = scored.map((group) => new GroupPostings(index, visible, group, scratch));
  const best = new Best(index, limit);
  for (let first = 0; first < index.size; first += size) {
    const essential = countEssential(scored, best.threshold);
    if (essential === 0) break;
    window.start(first, Math.min(first + size, index.size));
    for (const [at, one] of postings.entries()) window.add(one, at < essential);
    window.finish(best, required);
  }
  return best.sorted();
}

/** Returns the number of groups with high bounds: a passage without any of them cannot be among the best. */
function countEssential(scored: readonly ScoredGroup[], threshold: number): number {
  let count = scored.length;
  for (let bound = 0; count > 0; count--) {
    bound += scored[count - 1]?.bound ?? 0;
    if (bound * ROUNDING >= threshold) break;
  }
  return count;
}

function isKept(scored: readonly ScoredGroup[]): boolean {
  return scored.every(({ lists }) => lists.every(({ list }) => list.start !== null));
}

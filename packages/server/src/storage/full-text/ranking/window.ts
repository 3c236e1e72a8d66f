import { frequencyOf, ordinalOf } from '../terms/index.ts';
import type { Best } from './best.ts';
import type { GroupPostings } from './group-postings.ts';
import type { Scratch } from './scratch.ts';

/** The scores of the passages with consecutive ordinals. The index of a passage in the arrays is its ordinal minus that of the first. */
export class Window {
  readonly #scratch: Scratch;
  readonly #lengths: Uint32Array;
  #first = 0;
  #end = 0;
  /** Number of passages with a score. */
  #found = 0;

  /** @param lengths number of terms of each passage. */
  constructor(lengths: Uint32Array, scratch: Scratch) {
    this.#scratch = scratch;
    this.#lengths = lengths;
  }

  /** Starts a window. */
  start(first: number, end: number): void {
    this.#first = first;
    this.#end = end;
    this.#found = 0;
  }

  /**
   * Adds the scores of a group.
   *
   * @param isEssential `false`: only to passages that have a score.
   */
  add(postings: GroupPostings, isEssential: boolean): void {
    if (postings.group.sums) this.#addSums(postings, isEssential);
    else this.#addTerm(postings, isEssential);
  }

  /** Adds the passages that contain all required groups to the best passages. */
  finish(best: Best, required: number): void {
    const { candidates, scores, required: counts } = this.#scratch;
    for (let at = 0; at < this.#found; at++) {
      const passage = candidates[at] as number;
      if (required === 0 || counts[passage] === required)
        best.add(this.#first + passage, scores[passage] as number);
      scores[passage] = 0;
      counts[passage] = 0;
    }
  }

  #addTerm(postings: GroupPostings, isEssential: boolean): void {
    const { scores, required: counts, candidates } = this.#scratch;
    const { lists, bound, constant, perTerm, required } = postings.group;
    const lengths = this.#lengths;
    const first = this.#first;
    const factor = lists[0]?.factor ?? 1;
    let found = this.#found;
    postings.read(0, this.#end, (array, start, stop) => {
      for (let at = start; at < stop; at++) {
        const posting = array[at] as number;
        const ordinal = ordinalOf(posting);
        const passage = ordinal - first;
        const score = scores[passage] as number;
        if (score === 0) {
          if (!isEssential) continue;
          candidates[found++] = passage;
        }
        const frequency = factor * frequencyOf(posting);
        scores[passage] =
          score +
          (bound * frequency) / (frequency + constant + perTerm * (lengths[ordinal] as number));
        if (required) counts[passage] = (counts[passage] as number) + 1;
      }
    });
    this.#found = found;
  }

  #addSums(postings: GroupPostings, isEssential: boolean): void {
    const { scores, sums, required: counts, matched, candidates } = this.#scratch;
    const { bound, constant, perTerm, required } = postings.group;
    const lengths = this.#lengths;
    const first = this.#first;
    const matches = this.#sum(postings, isEssential);
    let found = this.#found;
    for (let at = 0; at < matches; at++) {
      const passage = matched[at] as number;
      const frequency = sums[passage] as number;
      const score = scores[passage] as number;
      if (score === 0) candidates[found++] = passage;
      const length = lengths[first + passage] as number;
      scores[passage] = score + (bound * frequency) / (frequency + constant + perTerm * length);
      if (required) counts[passage] = (counts[passage] as number) + 1;
      sums[passage] = 0;
    }
    this.#found = found;
  }

  /** Sums the frequencies in each passage. Writes the passages to `matched` and returns their number. */
  #sum(postings: GroupPostings, isEssential: boolean): number {
    const { scores, sums, matched } = this.#scratch;
    const { lists } = postings.group;
    const first = this.#first;
    let matches = 0;
    for (const [index, { factor }] of lists.entries())
      postings.read(index, this.#end, (array, start, stop) => {
        for (let at = start; at < stop; at++) {
          const posting = array[at] as number;
          const passage = ordinalOf(posting) - first;
          const sum = sums[passage] as number;
          if (sum === 0) {
            if (!isEssential && scores[passage] === 0) continue;
            matched[matches++] = passage;
          }
          sums[passage] = sum + factor * frequencyOf(posting);
        }
      });
    return matches;
  }
}

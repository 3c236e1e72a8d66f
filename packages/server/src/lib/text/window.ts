import type { Hit } from './ranges.ts';

/** A part of a text, as UTF-16 offsets. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly firstHit: number;
  readonly lastHit: number;
}

/** Maximum number of code units before the first hit. */
const LEAD = 60;

/**
 * Returns the part of a text with the most distinct terms and phrases, then with the most hits, then the first. Takes
 * O(n log n) time for n hits.
 *
 * @param hits ordered by start.
 * @param maxLength maximum length in UTF-16 code units.
 */
export function bestWindow(text: string, hits: readonly Hit[], maxLength: number): Window {
  const [first, last] = bestSpan(hits, maxLength);
  const spare = maxLength - (last - first);
  const latest = Math.max(0, Math.min(first, text.length - maxLength));
  const from = Math.min(latest, Math.max(0, first - Math.min(LEAD, spare >> 1)));
  return { from, to: Math.min(text.length, from + maxLength), firstHit: first, lastHit: last };
}

/** Returns the start of the first and the end of the last hit of the best part. */
function bestSpan(hits: readonly Hit[], maxLength: number): readonly [first: number, last: number] {
  let best = { parts: 0, count: 0, start: 0 };
  const window = new SlidingWindow(hits);
  for (const [index, { start }] of hits.entries()) {
    window.extend(index, start + maxLength);
    const { parts, count } = window;
    if (parts > best.parts || (parts === best.parts && count > best.count))
      best = { parts, count, start };
    window.remove(index);
  }
  const { start } = best;
  const ends = hits
    .filter((hit) => hit.start >= start && hit.end <= start + maxLength)
    .map(({ end }) => end);
  return [start, Math.max(start, ...ends)];
}

/** A sliding window over the hits. Counts its hits and their distinct terms and phrases. */
class SlidingWindow {
  readonly #hits: readonly Hit[];
  readonly #byEnd: readonly number[];
  readonly #inside: Uint8Array;
  readonly #countByPart = new Map<number, number>();
  #next = 0;
  count = 0;

  constructor(hits: readonly Hit[]) {
    const endOf = (index: number) => hits[index]?.end ?? 0;
    this.#hits = hits;
    this.#byEnd = [...hits.keys()].sort((a, b) => endOf(a) - endOf(b));
    this.#inside = new Uint8Array(hits.length);
  }

  get parts(): number {
    return this.#countByPart.size;
  }

  /** Adds the hits from index `first` that end at or before the limit. */
  extend(first: number, limit: number): void {
    for (; this.#next < this.#byEnd.length; this.#next++) {
      const index = this.#byEnd[this.#next] as number;
      const { end, part } = this.#hits[index] as Hit;
      if (end > limit) return;
      if (index < first) continue;
      this.#inside[index] = 1;
      this.#countByPart.set(part, (this.#countByPart.get(part) ?? 0) + 1);
      this.count++;
    }
  }

  remove(index: number): void {
    if (this.#inside[index] === 0) return;
    const { part } = this.#hits[index] as Hit;
    const left = (this.#countByPart.get(part) ?? 0) - 1;
    if (left === 0) this.#countByPart.delete(part);
    else this.#countByPart.set(part, left);
    this.count--;
  }
}

import type { Hit } from './ranges.ts';

/** A part of a text. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Within this part it must not be cut shorter. */
  readonly firstHit: number;
  readonly lastHit: number;
}

/** What is shown before the first hit, if there is room. */
const LEAD = 60;

/**
 * The part of a text with the most different terms and phrases, then with the most hits, then the first.
 * Time grows with the hits and not with their square: a text such as `0 0 0 0` has thousands.
 *
 * @param hits in order.
 * @param maxLength UTF-16 units.
 */
export function bestWindow(text: string, hits: readonly Hit[], maxLength: number): Window {
  const [first, last] = bestSpan(hits, maxLength);
  const spare = maxLength - (last - first);
  const latest = Math.max(0, Math.min(first, text.length - maxLength));
  const from = Math.min(latest, Math.max(0, first - Math.min(LEAD, spare >> 1)));
  return { from, to: Math.min(text.length, from + maxLength), firstHit: first, lastHit: last };
}

/** From the start of a hit, that of the hits which then fit; the end is that of the last of them. */
function bestSpan(hits: readonly Hit[], maxLength: number): readonly [first: number, last: number] {
  let best = { parts: 0, count: 0, start: 0 };
  const fitting = new Fitting(hits);
  for (const [index, { start }] of hits.entries()) {
    fitting.letIn(index, start + maxLength);
    const { parts, count } = fitting;
    if (parts > best.parts || (parts === best.parts && count > best.count))
      best = { parts, count, start };
    fitting.leave(index);
  }
  const { start } = best;
  const ends = hits
    .filter((hit) => hit.start >= start && hit.end <= start + maxLength)
    .map(({ end }) => end);
  return [start, Math.max(start, ...ends)];
}

/** The hits from one on that end before a limit, while both move on. */
class Fitting {
  readonly #hits: readonly Hit[];
  /** Indices of hits, by where these end. */
  readonly #byEnd: readonly number[];
  readonly #inside: Uint8Array;
  readonly #ofPart = new Map<number, number>();
  #next = 0;
  count = 0;

  constructor(hits: readonly Hit[]) {
    const endOf = (index: number) => hits[index]?.end ?? 0;
    this.#hits = hits;
    this.#byEnd = [...hits.keys()].sort((a, b) => endOf(a) - endOf(b));
    this.#inside = new Uint8Array(hits.length);
  }

  get parts(): number {
    return this.#ofPart.size;
  }

  /** Those that end by the limit, but none before the first. */
  letIn(first: number, limit: number): void {
    for (; this.#next < this.#byEnd.length; this.#next++) {
      const index = this.#byEnd[this.#next] as number;
      const { end, part } = this.#hits[index] as Hit;
      if (end > limit) return;
      if (index < first) continue;
      this.#inside[index] = 1;
      this.#ofPart.set(part, (this.#ofPart.get(part) ?? 0) + 1);
      this.count++;
    }
  }

  leave(index: number): void {
    if (this.#inside[index] === 0) return;
    const { part } = this.#hits[index] as Hit;
    const left = (this.#ofPart.get(part) ?? 0) - 1;
    if (left === 0) this.#ofPart.delete(part);
    else this.#ofPart.set(part, left);
    this.count--;
  }
}

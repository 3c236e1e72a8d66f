import type { Query } from './query.ts';
import { findHits, merge, type Range } from './ranges.ts';
import { bestWindow, type Window } from './window.ts';

export interface Highlight {
  /** An unchanged part of the text without spaces at its ends. */
  readonly snippet: string;
  readonly start: number;
  /** Matches as UTF-16 offsets in the snippet: ordered, not empty, neither overlapping nor adjacent. */
  readonly ranges: readonly Range[];
}

export const SNIPPET_LENGTH = 240;
const SPACE = /\s/;
/** Maximum number of UTF-16 code units by which a cut moves to reach a space. */
const MAX_SHIFT = 40;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Returns the part of a text that matches a query best: the part with the most distinct terms and phrases, then with the most
 * hits, then the first. It has at most `maxLength` UTF-16 code units. It is cut at spaces if possible and never inside a
 * grapheme cluster.
 */
export function highlight(text: string, query: Query, maxLength = SNIPPET_LENGTH): Highlight {
  const hits = findHits(text, query);
  const [from, to] = cleanCut(text, bestWindow(text, hits, maxLength));
  const inside = hits
    .map((hit) => ({ ...hit, start: Math.max(hit.start, from), end: Math.min(hit.end, to) }))
    .filter(({ start, end }) => start < end);
  return {
    snippet: text.slice(from, to),
    start: from,
    ranges: merge(inside).map(([start, end]) => [start - from, end - from]),
  };
}

/** Moves both ends inwards to nearby spaces, or otherwise to the boundaries of grapheme clusters. */
function cleanCut(text: string, { from, to, firstHit, lastHit }: Window): Range {
  const visible = graphemes.segment(text);
  let start = from > 0 ? spaceAfter(text, from, Math.min(firstHit, from + MAX_SHIFT)) : 0;
  while (start < to) {
    const at = visible.containing(start);
    if (at?.index === start && !SPACE.test(text[start] as string)) break;
    start = at === undefined ? start + 1 : at.index + at.segment.length;
  }
  let end = to < text.length ? spaceBefore(text, to, Math.max(lastHit, to - MAX_SHIFT)) : to;
  while (end > start) {
    const behind = end < text.length ? visible.containing(end)?.index : end;
    if (behind === end && !SPACE.test(text[end - 1] as string)) break;
    end = behind === undefined || behind === end ? end - 1 : behind;
  }
  return [Math.min(start, to), Math.max(Math.min(start, to), end)];
}

/** Returns the first offset from `from` to `limit` that follows a space; otherwise `from`. */
function spaceAfter(text: string, from: number, limit: number): number {
  for (let at = from; at <= limit; at++) if (SPACE.test(text[at - 1] as string)) return at;
  return from;
}

/** Returns the last offset from `to` down to `limit` that precedes a space; otherwise `to`. */
function spaceBefore(text: string, to: number, limit: number): number {
  for (let at = to; at >= limit; at--) if (SPACE.test(text[at] as string)) return at;
  return to;
}

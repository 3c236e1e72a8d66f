import type { Query } from './query.ts';
import { findHits, merge, type Range } from './ranges.ts';
import { bestWindow, type Window } from './window.ts';

export interface Highlight {
  /** A part of the text as it stands there, without spaces at its ends. */
  readonly snippet: string;
  /** Where the snippet starts in the text; it is cut at its end when `start + snippet.length` is less than the text's length. */
  readonly start: number;
  /** Of the snippet, as UTF-16 offsets: in order, not empty, neither overlapping nor touching. */
  readonly ranges: readonly Range[];
}

export const SNIPPET_LENGTH = 240;
const SPACE = /\s/;
/** How far a cut may move to reach a space. */
const NEAR = 40;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * The part of a text that shows best why a query found it: the one with the most different terms and
 * phrases, then with the most hits, then the first. At most `maxLength` UTF-16 units; it starts and
 * ends between words where there are spaces, and never inside what a reader sees as one character.
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

/** Moves the ends inwards to spaces that are near, or else to the bounds of a visible character. */
function cleanCut(text: string, { from, to, firstHit, lastHit }: Window): Range {
  const visible = graphemes.segment(text);
  let start = from > 0 ? spaceAfter(text, from, Math.min(firstHit, from + NEAR)) : 0;
  while (start < to) {
    const at = visible.containing(start);
    if (at?.index === start && !SPACE.test(text[start] as string)) break;
    start = at === undefined ? start + 1 : at.index + at.segment.length;
  }
  let end = to < text.length ? spaceBefore(text, to, Math.max(lastHit, to - NEAR)) : to;
  while (end > start) {
    const behind = end < text.length ? visible.containing(end)?.index : end;
    if (behind === end && !SPACE.test(text[end - 1] as string)) break;
    end = behind === undefined || behind === end ? end - 1 : behind;
  }
  return [Math.min(start, to), Math.max(Math.min(start, to), end)];
}

/** The first place from here on that has a space before it; where there is none by the limit, here. */
function spaceAfter(text: string, from: number, limit: number): number {
  for (let at = from; at <= limit; at++) if (SPACE.test(text[at - 1] as string)) return at;
  return from;
}

/** The last place up to here that has a space behind it; where there is none by the limit, here. */
function spaceBefore(text: string, to: number, limit: number): number {
  for (let at = to; at >= limit; at--) if (SPACE.test(text[at] as string)) return at;
  return to;
}

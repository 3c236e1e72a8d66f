import type { Block } from '../../passages/block.ts';
import type { Line } from './lines.ts';

/** A gap that is this much larger than most on its page parts two paragraphs. */
const LARGER_GAP = 1.3;
/** So does a change of the size of letters by this much. */
const OTHER_SIZE = 1.15;
const BULLET = /^[•‣▪◦●■–—*]\s/u;
const NUMBERED = /^\p{N}{1,3}[.)]\s/u;
const PAGE_NUMBER = /^\p{N}{1,4}$/u;
const HYPHEN_AT_END = /\p{L}[-\u00ad\u2010]$/u;
const SMALL_LETTER = /^\p{Ll}/u;
const DENSE =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff00-\\uffef]';
const DENSE_AT_END = new RegExp(`${DENSE}$`, 'u');
const DENSE_AT_START = new RegExp(`^${DENSE}`, 'u');

/** The blocks of a page: its lines without the page's number, joined to paragraphs, and these to lists. */
export function blocksOf(lines: readonly Line[]): Block[] {
  const blocks: Block[] = [];
  let items: string[] = [];
  for (const text of paragraphsOf(withoutPageNumber(lines))) {
    if (!BULLET.test(text)) {
      items = [];
      blocks.push({ kind: 'paragraph', text });
    } else {
      if (items.length === 0) blocks.push({ kind: 'list', items });
      items.push(text);
    }
  }
  return blocks;
}

/** A number alone in the first or last line. */
function withoutPageNumber(lines: readonly Line[]): readonly Line[] {
  const isNumber = (line: Line | undefined) => PAGE_NUMBER.test(line?.text ?? '');
  if (lines.length < 2) return lines;
  if (isNumber(lines.at(-1))) return lines.slice(0, -1);
  return isNumber(lines[0]) ? lines.slice(1) : lines;
}

/** Joins lines by the gaps between them. A word that a line's end divides is made whole. */
function paragraphsOf(lines: readonly Line[]): string[] {
  const usual = usualGap(lines);
  const paragraphs: string[] = [];
  let last: Line | null = null;
  for (const line of lines) {
    const paragraph = paragraphs.at(-1);
    if (last === null || paragraph === undefined || parts(last, line, usual)) {
      paragraphs.push(line.text);
    } else {
      paragraphs[paragraphs.length - 1] = join(paragraph, line.text);
    }
    last = line;
  }
  return paragraphs;
}

/**
 * The gap from one line down to the next within a paragraph: not the median, since on a page of short
 * paragraphs most gaps lie between them.
 */
function usualGap(lines: readonly Line[]): number {
  const gaps = lines
    .map((line, index) => (lines[index - 1]?.y ?? line.y) - line.y)
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 2] ?? 0;
}

function parts(last: Line, line: Line, usual: number): boolean {
  const gap = last.y - line.y;
  // Up again: another column, or a footnote's end.
  if (gap < 0 || gap > usual * LARGER_GAP || startsItem(line.text)) return true;
  const [small = 0, large = 0] = [last.height, line.height].sort((a, b) => a - b);
  return large > small * OTHER_SIZE;
}

function startsItem(text: string): boolean {
  return BULLET.test(text) || NUMBERED.test(text);
}

function join(before: string, after: string): string {
  if (HYPHEN_AT_END.test(before) && SMALL_LETTER.test(after)) return before.slice(0, -1) + after;
  const dense = DENSE_AT_END.test(before) && DENSE_AT_START.test(after);
  return dense ? before + after : `${before} ${after}`;
}

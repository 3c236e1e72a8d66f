import { matchFormula } from '@gatehouse/contract/answer-text';
import { closeInline } from './unfinished-inline.ts';

/**
 * Completes Markdown that is still streaming. Closes open emphasis, code and links, and removes an end whose meaning
 * later text can change, so that rendered text never disappears or changes. Changes only the last block. Decision 41
 * explains why we do not use a library for this.
 */
export function closeUnfinished(text: string): string {
  const { open, closedEnd } = findFences(text);
  if (open !== null) return inFence(text, open);
  const formula = findOpenFormula(text, closedEnd);
  if (formula?.match !== 'unclear' && formula !== null) return text;
  const end = formula?.at ?? text.length;
  const shown = text.slice(0, closedEnd) + withoutAmbiguousEnd(text.slice(closedEnd, end));
  const start = startOfRun(shown, closedEnd);
  return shown.slice(0, start) + closeInline(shown.slice(start));
}

/**
 * Matches a line with only Markdown syntax and no text. Also matches a line with only a number, because the line can
 * become a list item.
 */
const AMBIGUOUS_LINE =
  /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:[-+*=_~`#|:\s]*|\d{1,9}[.)]?|\[[ xX]?\]?)[ \t]*$/;
/** Limits the input of `AMBIGUOUS_LINE`. Longer lines count as unambiguous. */
const MAX_AMBIGUOUS_LENGTH = 100;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
/** Markdown prefix of a line: quotes, list items, headings and tasks. */
const BEFORE_RUN = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?/;
const STARTS_RUN = /^[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]|\|)/;

/** Matches the quote and list markers before a display formula. */
const DISPLAY = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?=\$\$|\\\[)/gm;

interface Fence {
  readonly mark: string;
  /** Offset of the start of the line with the fence. */
  readonly at: number;
  /** Offset of the end of the line with the fence, or the length of the text if the line is incomplete. */
  readonly end: number;
}

/** Returns the open fence, or `null`, and the end of the last closed code block. */
function findFences(text: string): { readonly open: Fence | null; readonly closedEnd: number } {
  let open: Fence | null = null;
  let closedEnd = 0;
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    const line = text.slice(at, end);
    if (open === null) {
      const mark = FENCE.exec(line)?.[1];
      if (mark !== undefined) open = { mark, at, end };
    } else if (isEndOf(open, line)) {
      open = null;
      closedEnd = end;
    }
  }
  return { open, closedEnd };
}

function isEndOf({ mark }: Fence, line: string): boolean {
  const end = line.replace(/^[ \t>]+/, '').trimEnd();
  return end.length >= mark.length && end === String(mark[0]).repeat(end.length);
}

/** Removes an incomplete language name or closing fence. */
function inFence(text: string, { mark, at, end }: Fence): string {
  if (end === text.length) return text.slice(0, text.indexOf(mark, at) + mark.length);
  return text.replace(/\n[ \t>]*(?:`+|~+)$/, '');
}

/**
 * Returns the display formula that is still open at the end of the text, or `null`. `match` is `unclear` if later text decides
 * whether a formula starts at this position.
 */
function findOpenFormula(text: string, from: number) {
  const start = Math.max(from, text.lastIndexOf('\n\n'));
  let end = start;
  for (const { 0: before, index } of text.slice(start).matchAll(DISPLAY)) {
    const at = start + index + before.length;
    const match = at < end ? null : matchFormula('', text.slice(at));
    if (match === 'unclear') return { at, match };
    if (match === null) continue;
    end = at + match.length;
    if (end === text.length && !/(?:\$\$|\\\])$/.test(text.slice(at + 2))) return { at, match };
  }
  return null;
}

function withoutAmbiguousEnd(text: string): string {
  const lastLine = text.lastIndexOf('\n') + 1;
  const isAmbiguous =
    text.length - lastLine <= MAX_AMBIGUOUS_LENGTH && AMBIGUOUS_LINE.test(text.slice(lastLine));
  const shown = isAmbiguous ? text.slice(0, lastLine) : text;
  return shown.slice(0, startOfTableHead(shown));
}

/** Returns the start of the last line if that line can become a table header, otherwise the end of the text. */
function startOfTableHead(text: string): number {
  const line = text.trimEnd().lastIndexOf('\n') + 1;
  if (!/^[ \t]*\|/.test(text.slice(line)) || /\n[ \t]*\n$/.test(text)) return text.length;
  const lineBefore = text.lastIndexOf('\n', line - 2) + 1;
  return /^[ \t]*\|/.test(text.slice(lineBefore, line)) ? text.length : line;
}

/** Returns the start of the run of inline text that contains the last line. */
function startOfRun(text: string, atLeast: number): number {
  let at = Math.max(atLeast, text.lastIndexOf('\n') + 1);
  while (at > atLeast && !STARTS_RUN.test(text.slice(at))) {
    const before = text.lastIndexOf('\n', at - 2) + 1;
    if (text.slice(before, at).trim() === '') break;
    at = Math.max(atLeast, before);
  }
  const line = text.slice(at);
  if (/^[ \t]*\|/.test(line)) return at + line.lastIndexOf('|') + 1;
  return at + (BEFORE_RUN.exec(line)?.[0].length ?? 0);
}

import { closeInline } from './unfinished-inline.ts';

/**
 * What can be shown of Markdown that is still being written, as Markdown: what has begun is ended, and
 * what could still become something else is held back, so that nothing that is shown has to go again.
 * Changes only the last block.
 */
export function closeUnfinished(text: string): string {
  const { open, behind } = findFences(text);
  if (open !== null) return inFence(text, open);
  const shown = text.slice(0, behind) + withoutUnclearLines(text.slice(behind));
  const start = startOfRun(shown, behind);
  return shown.slice(0, start) + closeInline(shown.slice(start));
}

/** Nothing but marks: of an item, a task, a heading, a rule, a table or a fence; or a number that may become one. */
const UNCLEAR_LINE =
  /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:[-+*=_~`#|:\s]*|\d{1,9}[.)]?|\[[ xX]?\]?)[ \t]*$/;
/** A longer line is clear; so the expression above has little to try. */
const LONGEST_UNCLEAR = 100;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
/** What stands before the text of a line: marks of quotes, items, headings and cells. */
const BEFORE_RUN = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?/;
const STARTS_RUN = /^[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]|\|)/;

interface Fence {
  readonly mark: string;
  /** Where the line begins. */
  readonly at: number;
  /** Where the line ends; the length of the text when it does not yet. */
  readonly end: number;
}

/** The fence that is open at the end, and where the last one ended that is not. */
function findFences(text: string): { readonly open: Fence | null; readonly behind: number } {
  let open: Fence | null = null;
  let behind = 0;
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf('\n', at);
    if (end === -1) end = text.length;
    const line = text.slice(at, end);
    if (open === null) {
      const mark = FENCE.exec(line)?.[1];
      if (mark !== undefined) open = { mark, at, end };
    } else if (isEndOf(open, line)) {
      open = null;
      behind = end;
    }
  }
  return { open, behind };
}

function isEndOf({ mark }: Fence, line: string): boolean {
  const end = line.replace(/^[ \t>]+/, '').trimEnd();
  return end.length >= mark.length && end === String(mark[0]).repeat(end.length);
}

/** The name of the language is shown when it is whole, and an end that is half there not at all. */
function inFence(text: string, { mark, at, end }: Fence): string {
  if (end === text.length) return text.slice(0, text.indexOf(mark, at) + mark.length);
  return text.replace(/\n[ \t>]*(?:`+|~+)$/, '');
}

function withoutUnclearLines(text: string): string {
  const lastLine = text.lastIndexOf('\n') + 1;
  const isUnclear =
    text.length - lastLine <= LONGEST_UNCLEAR && UNCLEAR_LINE.test(text.slice(lastLine));
  const shown = isUnclear ? text.slice(0, lastLine) : text;
  return shown.slice(0, startOfTableHead(shown));
}

/** A line that may be the first of a table, as long as the one below it does not tell; else the end. */
function startOfTableHead(text: string): number {
  const line = text.trimEnd().lastIndexOf('\n') + 1;
  if (!/^[ \t]*\|/.test(text.slice(line)) || /\n[ \t]*\n$/.test(text)) return text.length;
  const lineBefore = text.lastIndexOf('\n', line - 2) + 1;
  return /^[ \t]*\|/.test(text.slice(lineBefore, line)) ? text.length : line;
}

/** Where the run of text begins that the last line belongs to. */
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

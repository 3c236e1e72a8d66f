import { closeInline } from './unfinished-inline.ts';

/**
 * Completes Markdown that is still streaming. Closes open marks, and removes an end whose meaning later text can
 * change, so that rendered text never disappears or changes. Changes only the last block. Decision 41 says why this
 * is not a library.
 */
export function closeUnfinished(text: string): string {
  const { open, behind } = findFences(text);
  if (open !== null) return inFence(text, open);
  const shown = text.slice(0, behind) + withoutAmbiguousEnd(text.slice(behind));
  const start = startOfRun(shown, behind);
  return shown.slice(0, start) + closeInline(shown.slice(start));
}

/** A line of only marks: list item, task, heading, rule, table or fence; or a number, which can become a list item. */
const AMBIGUOUS_LINE =
  /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:[-+*=_~`#|:\s]*|\d{1,9}[.)]?|\[[ xX]?\]?)[ \t]*$/;
/** Limits the input of the expression above. A longer line is not ambiguous. */
const MAX_AMBIGUOUS_LENGTH = 100;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
/** The marks before the text of a line: quotes, list items, headings and tasks. */
const BEFORE_RUN = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\[[ xX]\][ \t]+)?/;
const STARTS_RUN = /^[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]|\|)/;

interface Fence {
  readonly mark: string;
  /** Start of its line. */
  readonly at: number;
  /** End of its line, or the length of the text if the line is incomplete. */
  readonly end: number;
}

/** Returns the open fence, if any, and the end of the last closed one. */
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

/** Removes an incomplete language name or closing fence. */
function inFence(text: string, { mark, at, end }: Fence): string {
  if (end === text.length) return text.slice(0, text.indexOf(mark, at) + mark.length);
  return text.replace(/\n[ \t>]*(?:`+|~+)$/, '');
}

function withoutAmbiguousEnd(text: string): string {
  const lastLine = text.lastIndexOf('\n') + 1;
  const isAmbiguous =
    text.length - lastLine <= MAX_AMBIGUOUS_LENGTH && AMBIGUOUS_LINE.test(text.slice(lastLine));
  const shown = isAmbiguous ? text.slice(0, lastLine) : text;
  return shown.slice(0, startOfTableHead(shown));
}

/** Returns the start of a last line that can become the head of a table, or else the end of the text. */
function startOfTableHead(text: string): number {
  const line = text.trimEnd().lastIndexOf('\n') + 1;
  if (!/^[ \t]*\|/.test(text.slice(line)) || /\n[ \t]*\n$/.test(text)) return text.length;
  const lineBefore = text.lastIndexOf('\n', line - 2) + 1;
  return /^[ \t]*\|/.test(text.slice(lineBefore, line)) ? text.length : line;
}

/** Returns the start of the run of inline text that the last line belongs to. */
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

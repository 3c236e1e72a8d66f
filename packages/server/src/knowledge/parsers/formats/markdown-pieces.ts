/**
 * Minimum length of a piece in UTF-16 code units. The tokens of a piece can need up to a hundred times as much memory as its
 * text.
 */
const MIN_PIECE = 200_000;
const TAB = 4;
/** Minimum indent of a list item relative to its parent item, in columns. */
const MIN_INDENT = 2;

/**
 * Returns an upper bound of the nesting depth of quotes and lists, in a single pass. The library's parser takes quadratic time
 * and memory for deep nesting.
 *
 * @param enough stops when this depth is exceeded.
 */
export function nestingOf(text: string, enough: number): number {
  let deepest = 0;
  for (let start = 0; start < text.length && deepest <= enough; ) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    deepest = Math.max(deepest, nestingOfLine(text, start, end, enough));
    start = end + 1;
  }
  return deepest;
}

const MARKER = /(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/my;
const BREAK = /^[ \t>]*([-*_])(?:[ \t]*\1){2,}[ \t\r]*$/;

function nestingOfLine(text: string, start: number, end: number, enough: number): number {
  let depth = 0;
  let columns = 0;
  let isList = false;
  let at = start;
  while (at < end) {
    const character = text[at];
    if (character === ' ' || character === '\t') {
      columns += character === ' ' ? 1 : TAB;
      at++;
    } else if (character === '>') {
      depth++;
      at++;
    } else {
      MARKER.lastIndex = at;
      const [marker] = MARKER.exec(text) ?? [];
      if (marker === undefined) break;
      isList = true;
      depth++;
      at += marker.length;
    }
  }
  // A space or tab after a marker is not an indent.
  if (isList) depth += Math.max(0, Math.floor((columns - depth) / MIN_INDENT));
  if (depth > enough && BREAK.test(text.slice(start, end)))
    return text.slice(start, end).split('>').length;
  return depth;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** Start and end of HTML blocks that may contain blank lines (CommonMark 4.6, kinds 1 to 5). */
const RAW_BLOCKS = [
  [/^ {0,3}<(?:pre|script|style|textarea)\b/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
] as const;
/** A line that, after a blank line, does not continue a list, quote or HTML block. */
const STARTS_BLOCK = /^(?:\p{L}|#{1,6}[ \t])/u;

/**
 * Splits Markdown into pieces that can be parsed separately, because no block extends across two pieces. A text without such
 * boundaries, such as a single long list, is one piece.
 */
export function* piecesOf(text: string): Generator<string> {
  let start = 0;
  let isAfterBlank = false;
  let fence = '';
  let rawEnd: RegExp | null = null;
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed + 1;
    const line = text.slice(at, end).trimEnd();
    if (rawEnd !== null) {
      if (rawEnd.test(line)) rawEnd = null;
    } else if (fence !== '') {
      if (closes(line, fence)) fence = '';
    } else {
      if (isAfterBlank && at - start >= MIN_PIECE && STARTS_BLOCK.test(line)) {
        yield text.slice(start, at);
        start = at;
      }
      fence = FENCE.exec(line)?.[1] ?? '';
      rawEnd = rawEndOf(line);
    }
    isAfterBlank = line === '';
    at = end;
  }
  yield text.slice(start);
}

function closes(line: string, fence: string): boolean {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  return marks.startsWith(fence) && rest === '';
}

/** If the line opens an HTML block without closing the block, returns the pattern that closes the block. Otherwise returns null. */
function rawEndOf(line: string): RegExp | null {
  if (!line.includes('<')) return null;
  const [start, end] = RAW_BLOCKS.find(([pattern]) => pattern.test(line)) ?? [];
  if (start === undefined || end === undefined) return null;
  return end.test(line.replace(start, '')) ? null : end;
}

const DEFINITION = /^ {0,3}\[((?:[^[\]\\]|\\.){1,999})\]:/gm;

/** Returns the labels of link reference definitions, which apply to all pieces. */
export function definedLabels(text: string): string[] {
  return [...text.matchAll(DEFINITION)].map(([, label = '']) =>
    label.toLowerCase().replace(/\s+/g, ' '),
  );
}

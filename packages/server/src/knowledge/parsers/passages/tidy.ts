const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * Controls but tab and line feed; soft hyphens and byte order marks, which split words for a search;
 * and the embeddings, overrides and isolates of bidirectional text, which a cut would leave open.
 */
const DROPPED = /(?![\t\n\f\v])\p{Cc}|[\u00ad\ufeff\u202a-\u202e\u2066-\u2069]/gu;
/** But a single space, which most are. */
const SPACES = /[^\S\n]{2,}|[^\S\n ]/g;
const AROUND_BREAK = / ?\n[ \n]*/g;

/** Running text on its way out: well-formed, composed (NFC), single spaces, no line empty or indented. */
export function tidy(text: string): string {
  return wellFormed(text).replace(SPACES, ' ').replace(AROUND_BREAK, '\n').trim();
}

/** The same on a single line: for headings and cells. */
export function tidyLine(text: string): string {
  return wellFormed(text).replace(SPACES, ' ').replace(AROUND_BREAK, ' ').trim();
}

/** Text whose lines and indents mean something: code, lists. */
export function tidyLines(text: string): string {
  return wellFormed(text)
    .replace(/[^\S\n]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** U+0000 and lone surrogates end here, which no store takes. */
function wellFormed(text: string): string {
  return text.replace(LINE_BREAK, '\n').replace(DROPPED, '').toWellFormed().normalize('NFC');
}

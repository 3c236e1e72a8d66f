const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * Removed characters: control characters except white space; soft hyphens and byte order marks, which would split words;
 * bidirectional embeddings, overrides and isolates, which a cut could leave open.
 */
const DROPPED = /(?![\t\n\f\v])\p{Cc}|[\u00ad\ufeff\u202a-\u202e\u2066-\u2069]/gu;
/** White space other than a single space. */
const SPACES = /[^\S\n]{2,}|[^\S\n ]/g;
const AROUND_BREAK = / ?\n[ \n]*/g;

/**
 * Normalises running text. The result is well-formed and composed (NFC), and has only single spaces and no blank or indented
 * lines.
 */
export function normalise(text: string): string {
  return wellFormed(text).replace(SPACES, ' ').replace(AROUND_BREAK, '\n').trim();
}

/** Normalises a heading or a cell to a single line. */
export function normaliseLine(text: string): string {
  return wellFormed(text).replace(SPACES, ' ').replace(AROUND_BREAK, ' ').trim();
}

/** Normalises text whose lines and indents matter, such as code and lists. */
export function normaliseLines(text: string): string {
  return wellFormed(text)
    .replace(/[^\S\n]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** Removes U+0000 and lone surrogates, which storage rejects. */
function wellFormed(text: string): string {
  return text.replace(LINE_BREAK, '\n').replace(DROPPED, '').toWellFormed().normalize('NFC');
}

const OPENING = /^(?:\$\$?|\\[([])/;
/** Maximum length of a formula without `CERTAIN` syntax, in UTF-16 code units. */
const MAX_LENGTH = 300;
/** Matches syntax that only formulas have. */
const CERTAIN = /\\[A-Za-z]{2}|[_^][{\\]/;
/** Matches Markdown that a formula does not contain: bold text and code. */
const MARKDOWN = /\*\*|`/;
/** Matches an amount of money before a word, as in `$5 and`. */
const PRICE = /^\d[\d.,]*(?:[).,;:!?]*\s+\p{L}{2}|\s*\p{Lo})/u;
/** Matches text in escaped brackets that is not a formula, such as words or citation numbers. */
const WORDS = /^(?=.*\p{L}{3})[\p{L}\s.,;:'’"!?-]*$/su;
const NUMBERS = /^[\d\s,;、，–-]*$/;

/**
 * A formula in LaTeX: `$…$`, `$$…$$`, `\(…\)` or `\[…\]`. Without a closing delimiter, it extends to the end of the line
 * (`$`) or of the paragraph. `unclear`: further text decides whether a formula starts here.
 */
export type FormulaMatch = { readonly length: number } | 'unclear' | null;

/**
 * Matches a formula at the start of a text. Amounts of money such as `$5 and $10`, and escaped brackets around words, are not
 * formulas. If text is appended later, only two results can change: `unclear`, and the length of a formula without a closing
 * delimiter.
 *
 * @param before the text before the formula.
 * @param text the rest of the paragraph.
 * @param mayContinue `true` if more text can follow.
 */
export function matchFormula(before: string, text: string, mayContinue = false): FormulaMatch {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined || (opening === '$' && /[\w$\\]$/.test(before))) return null;
  const inside = text.slice(opening.length);
  return opening === '$' ? matchDollar(inside, mayContinue) : matchDisplay(opening, inside);
}

function matchDollar(inside: string, mayContinue: boolean): FormulaMatch {
  if (/^[\s$]/.test(inside) || PRICE.test(inside)) return null;
  const start = beforeDollar(inside.slice(0, MAX_LENGTH + 1));
  if (CERTAIN.test(withoutMarkdown(start))) {
    const { length } = beforeDollar(inside);
    return { length: 1 + length + (inside.charAt(length) === '$' ? 1 : 0) };
  }
  if (MARKDOWN.test(start) || start.length > MAX_LENGTH) return null;
  if (start.length === inside.length) return 'unclear';
  if (inside.charAt(start.length) !== '$' || /\s$/.test(start)) return null;
  const after = inside.slice(start.length + 1);
  if (after === '' && mayContinue) return 'unclear';
  return /^[\p{L}\p{N}$]/u.test(after) ? null : { length: start.length + 2 };
}

/** Returns the start of a text up to the end of the line or a dollar sign. */
function beforeDollar(text: string): string {
  return /^(?:[^\\$\n]|\\[^\n]|\\$)*/.exec(text)?.[0] ?? '';
}

function matchDisplay(opening: string, inside: string): FormulaMatch {
  const closing = opening.replace('(', ')').replace('[', ']');
  const start = inside.slice(0, MAX_LENGTH + closing.length);
  const end = start.indexOf(closing);
  const content = end === -1 ? start : start.slice(0, end);
  if (CERTAIN.test(withoutMarkdown(content))) {
    const at = inside.indexOf(closing);
    return { length: opening.length + (at === -1 ? inside.length : at + closing.length) };
  }
  if (MARKDOWN.test(content)) return null;
  if (end === -1) return inside.length <= MAX_LENGTH ? 'unclear' : null;
  const isText = opening !== '$$' && (WORDS.test(content) || NUMBERS.test(content));
  return isText || content.trim() === '' ? null : { length: opening.length + end + closing.length };
}

function withoutMarkdown(text: string): string {
  const end = text.search(MARKDOWN);
  return end === -1 ? text : text.slice(0, end);
}

import { type Citation, splitCitations } from './citations.ts';
import { splitLiterals } from './literals.ts';

/** The numbers of the known sources. */
interface Known {
  has(number: number): boolean;
}

/** Matches the end of a text after which a number in brackets can be an index or an interval, as in `a[1]`. */
const BEFORE_INDEX = /[\w)\]}\\$]$/;

/**
 * Removes the citations of unknown sources, and the white space before them. Citations in code, in formulas and directly after a word
 * remain, because they can have another meaning.
 *
 * @param markdown a complete answer.
 */
export function withoutUnknownCitations(markdown: string, known: Known): string {
  const mayRemove = (before: string) => !BEFORE_INDEX.test(before);
  return splitLiterals(markdown)
    .flatMap(({ text, kind }) =>
      kind === 'text' ? splitKnownCitations(text, known, mayRemove) : [text],
    )
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');
}

/**
 * Splits a text at the citations of known sources. Omits the numbers of unknown sources, and the citations that have only
 * such numbers, with the white space before them.
 *
 * @param mayRemove reports whether a citation after this text may be omitted.
 */
export function splitKnownCitations(
  text: string,
  known: Known,
  mayRemove: (before: string) => boolean = () => true,
): (string | Citation)[] {
  const parts: (string | Citation)[] = [];
  /** White space that preceded the omitted citations, or `null` if the previous part was not omitted. */
  let omitted: string | null = null;
  for (const part of splitCitations(text)) {
    const last = parts.at(-1);
    const numbers =
      typeof part === 'string' ? [] : part.numbers.filter((number) => known.has(number));
    const isUnknown = typeof part !== 'string' && numbers.length === 0;
    if (isUnknown && (omitted !== null || typeof last !== 'string' || mayRemove(last))) {
      if (typeof last === 'string') {
        omitted ??= last.slice(last.trimEnd().length);
        parts[parts.length - 1] = last.trimEnd();
      }
      omitted ??= '';
      continue;
    }
    if (typeof part === 'string') parts.push(part);
    else if (isUnknown) parts.push(part.text);
    else parts.push(omitted ?? '', { text: part.text, numbers });
    omitted = null;
  }
  return parts.filter((part) => part !== '');
}

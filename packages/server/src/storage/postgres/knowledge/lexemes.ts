import type { Phrase, QueryTerm } from '../../../lib/text/index.ts';
import type { IndexedPassage } from '../../full-text/indexed-passage.ts';

/*
 * Functions that convert terms to PostgreSQL's full-text types without its parsers and dictionaries. Each lexeme starts with the
 * number of its space, so each posting list of the index belongs to one space. Weights mark the field of a term: B for the title,
 * C for the heading, D for the text.
 */

/** Returns a `tsvector` as a string. An unused position between two fields prevents phrase matches across fields. */
export function vectorOf(
  space: number,
  { titleTerms, headingTerms, bodyTerms }: IndexedPassage,
): string {
  const written: string[] = [];
  let position = 0;
  for (const [terms, weight] of [
    [titleTerms, 'B'],
    [headingTerms, 'C'],
    [bodyTerms, ''],
  ] as const) {
    for (const term of terms === '' ? [] : terms.split(' ')) {
      position += 1;
      written.push(`${lexeme(space, term)}:${position}${weight}`);
    }
    position += 1;
  }
  return written.join(' ');
}

export function exactTerm(space: number, term: string): string {
  return lexeme(space, term);
}

export function prefixTerms(space: number, prefix: string): string {
  return `${lexeme(space, prefix)}:*`;
}

export function anyForm(space: number, { term, prefix }: QueryTerm): string {
  return prefix === null
    ? exactTerm(space, term)
    : `(${exactTerm(space, term)} | ${prefixTerms(space, prefix)})`;
}

export function phraseTerms(space: number, { terms, prefix }: Phrase): string {
  const last = terms.length - 1;
  return `(${terms
    .map((term, index) =>
      prefix && index === last ? prefixTerms(space, term) : exactTerm(space, term),
    )
    .join(' <-> ')})`;
}

/** Terms contain neither quotes nor backslashes. These characters are escaped nevertheless, to rule out injection. */
function lexeme(space: number, term: string): string {
  return `'${space}:${term.replace(/['\\]/g, '$&$&')}'`;
}

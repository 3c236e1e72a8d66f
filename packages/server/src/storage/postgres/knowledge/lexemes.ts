import type { Phrase, QueryTerm } from '../../../lib/text/index.ts';
import type { IndexedPassage } from '../../full-text/indexed-passage.ts';

/*
 * Our terms as PostgreSQL's full text takes them, past its parsers and dictionaries: each is a lexeme that
 * begins with the number of its space, so that the index has lists of one space alone. Weights say where a
 * term stands: B in the title, C in the heading, D in the text.
 */

/** The text of a `tsvector`. Between two fields a place is left free, so that no phrase reaches over it. */
export function vectorOf(
  space: number,
  { titleTerms, headingTerms, bodyTerms }: IndexedPassage,
): string {
  const written: string[] = [];
  let place = 0;
  for (const [terms, weight] of [
    [titleTerms, 'B'],
    [headingTerms, 'C'],
    [bodyTerms, ''],
  ] as const) {
    for (const term of terms === '' ? [] : terms.split(' ')) {
      place += 1;
      written.push(`${lexeme(space, term)}:${place}${weight}`);
    }
    place += 1;
  }
  return written.join(' ');
}

/** The text of a `tsquery` for one term. */
export function exactly(space: number, term: string): string {
  return lexeme(space, term);
}

/** The same for all terms that begin like this. */
export function beginning(space: number, prefix: string): string {
  return `${lexeme(space, prefix)}:*`;
}

/** The same for a term of a query, with the other forms that it finds. */
export function anyForm(space: number, { term, prefix }: QueryTerm): string {
  return prefix === null
    ? exactly(space, term)
    : `(${exactly(space, term)} | ${beginning(space, prefix)})`;
}

/** The same for words that follow each other. */
export function inOrder(space: number, { terms, prefix }: Phrase): string {
  const last = terms.length - 1;
  return `(${terms
    .map((term, at) => (prefix && at === last ? beginning(space, term) : exactly(space, term)))
    .join(' <-> ')})`;
}

/** No term holds a quote or a backslash; that nothing could come of one is seen here. */
function lexeme(space: number, term: string): string {
  return `'${space}:${term.replace(/['\\]/g, '$&$&')}'`;
}

import { tokenise } from '../../lib/text/index.ts';
import type { SourcePassage } from '../answerer.ts';

const MAX_SUGGESTIONS = 3;
const LENGTH = { min: 3, max: 80 };
/** A heading that the parser of PDF files assigns. */
const PAGE = /^Page \d+$/;

export interface Suggestion {
  readonly documentId: string;
  readonly text: string;
}

/**
 * Returns up to three further questions: headings of passages that the searches of an answer found and that the answer does not
 * cite. All text is from passages in the scope of the person. Headings whose words are part of the question are omitted.
 *
 * @param found best first.
 */
export function suggestionsOf({
  found,
  cited,
  question,
}: {
  readonly found: readonly SourcePassage[];
  readonly cited: readonly SourcePassage[];
  readonly question: string;
}): Suggestion[] {
  const asked = termsOf(question);
  const known = new Set(cited.map((passage) => keyOf(headingOf(passage))));
  const suggestions: Suggestion[] = [];
  for (const passage of found) {
    const text = headingOf(passage);
    const { documentId, attachment, isRecord } = passage;
    if (attachment !== undefined || isRecord === true || known.has(keyOf(text))) continue;
    known.add(keyOf(text));
    if (text.length < LENGTH.min || text.length > LENGTH.max || PAGE.test(text)) continue;
    if (termsOf(text).isSubsetOf(asked)) continue;
    suggestions.push({ documentId, text });
    if (suggestions.length === MAX_SUGGESTIONS) break;
  }
  return suggestions;
}

/** Returns the innermost heading of a passage on one line, or an empty text. */
function headingOf({ heading }: SourcePassage): string {
  const innermost = heading?.split(' › ').at(-1) ?? '';
  return innermost.replace(/\s+/gu, ' ').trim();
}

function keyOf(heading: string): string {
  return [...termsOf(heading)].join(' ');
}

function termsOf(text: string): Set<string> {
  return new Set(tokenise(text).map(({ term }) => term));
}

import { indexedText } from '../../lib/text/index.ts';
import type { Passage, PassageOwner, StoredPassage } from '../ports/knowledge-engine.ts';

/** A passage as it is kept, and the terms by which it is found. */
export interface IndexedPassage extends StoredPassage {
  /** Terms with single spaces between them, as `indexedText` gives them; so are the others. */
  readonly titleTerms: string;
  readonly headingTerms: string;
  readonly bodyTerms: string;
}

const HEADING_SEPARATOR = ' › ';

/** @param first the position of the first of the passages. */
export function indexedPassages(
  { fileName, title }: PassageOwner,
  first: number,
  passages: readonly Passage[],
): IndexedPassage[] {
  const titleTerms = indexedText([withoutEnding(fileName), title].join('\n'));
  return passages.map(({ heading, text }, index) => {
    const shown = heading.length === 0 ? null : heading.join(HEADING_SEPARATOR);
    return {
      position: first + index,
      heading: shown,
      text,
      titleTerms,
      headingTerms: indexedText(shown ?? ''),
      bodyTerms: indexedText(text),
    };
  });
}

function withoutEnding(fileName: string): string {
  return fileName.replace(/\.[A-Za-z0-9]{1,5}$/, '');
}

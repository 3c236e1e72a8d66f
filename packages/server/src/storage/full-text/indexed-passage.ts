import { indexedText } from '../../lib/text/index.ts';
import type { Passage, PassageOwner, StoredPassage } from '../ports/knowledge-engine.ts';

export interface IndexedPassage extends StoredPassage {
  /** Space-separated terms of the file name and title; see `indexedText`. */
  readonly titleTerms: string;
  readonly headingTerms: string;
  readonly bodyTerms: string;
}

const HEADING_SEPARATOR = ' › ';

export function indexedPassages(
  owner: Pick<PassageOwner, 'fileName' | 'title'>,
  first: number,
  passages: readonly Passage[],
): IndexedPassage[] {
  const titleTerms = indexedText(titleText(owner));
  return storedPassages(first, passages).map((passage) => ({
    ...passage,
    titleTerms,
    headingTerms: indexedText(passage.heading ?? ''),
    bodyTerms: indexedText(passage.text),
  }));
}

/** @param first position of the first passage. */
export function storedPassages(first: number, passages: readonly Passage[]): StoredPassage[] {
  return passages.map(({ heading, text }, index) => ({
    position: first + index,
    heading: heading.length === 0 ? null : heading.join(HEADING_SEPARATOR),
    text,
  }));
}

/** Returns the text of a document that is indexed with every passage: the file name without its extension, and the title. */
export function titleText({ fileName, title }: Pick<PassageOwner, 'fileName' | 'title'>): string {
  return [fileName.replace(/\.[A-Za-z0-9]{1,5}$/, ''), title].join('\n');
}

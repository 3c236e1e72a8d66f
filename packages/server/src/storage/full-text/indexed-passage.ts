import type { Passage, PassageOwner, StoredPassage } from '../ports/knowledge-engine.ts';
import { encodeTermVectors } from './terms/index.ts';

const HEADING_SEPARATOR = ' › ';

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

/**
 * Returns the rows of consecutive passages of a document, and their term vectors.
 *
 * @param first position of the first passage.
 */
export function encodedPassages(
  document: PassageOwner,
  first: number,
  passages: readonly Passage[],
): { readonly stored: readonly StoredPassage[]; readonly terms: Uint8Array } {
  const stored = storedPassages(first, passages);
  const title = titleText(document);
  const terms = encodeTermVectors(
    stored.map(({ heading, text }) => ({ title, heading: heading ?? '', body: text })),
  );
  return { stored, terms };
}

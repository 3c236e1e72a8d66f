import type { CopyRow } from '../ports/copy.ts';
import { encodeTermVectors } from './terms/index.ts';

export interface CopiedTerms {
  /** The first passage of the row. */
  readonly passage: CopyRow;
  readonly terms: Uint8Array;
}

/**
 * Computes the term vectors of copied passages.
 *
 * @param passages rows of `passages`, ordered by document and position.
 * @param titleOf returns the result of `titleText` for the document of a passage.
 */
export function termsOfCopied(
  passages: readonly CopyRow[],
  titleOf: (passage: CopyRow) => string,
): CopiedTerms[] {
  return consecutive(passages).map(([passage, ...others]) => {
    const title = titleOf(passage);
    const texts = [passage, ...others].map(({ heading, text }) => ({
      title,
      heading: typeof heading === 'string' ? heading : '',
      body: String(text),
    }));
    return { passage, terms: encodeTermVectors(texts) };
  });
}

/** Divides passages into groups of consecutive passages of the same document. */
function consecutive(passages: readonly CopyRow[]): [CopyRow, ...CopyRow[]][] {
  const groups: [CopyRow, ...CopyRow[]][] = [];
  for (const passage of passages) {
    const before = groups.at(-1)?.at(-1);
    if (before !== undefined && follows(passage, before)) groups.at(-1)?.push(passage);
    else groups.push([passage]);
  }
  return groups;
}

function follows(passage: CopyRow, before: CopyRow): boolean {
  return (
    passage['space_id'] === before['space_id'] &&
    passage['document'] === before['document'] &&
    Number(passage['position']) === Number(before['position']) + 1
  );
}

import { MAX_TITLE_LENGTH } from '@gatehouse/contract';
import { readTitleText } from '../parsers/title.ts';

/** Returns the problem of a document's title, with the prefix `title: `, or null if the title is valid. */
export function titleProblem(title: string): string | null {
  if (title.length > 2 * MAX_TITLE_LENGTH || [...title].length > MAX_TITLE_LENGTH)
    return `title: must have at most ${MAX_TITLE_LENGTH} characters`;
  return readTitleText(title) === null ? 'title: must contain a visible character' : null;
}

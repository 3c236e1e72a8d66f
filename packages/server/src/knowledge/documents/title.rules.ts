import { MAX_TITLE_LENGTH } from '@gatehouse/contract';
import { readTitleText } from '../parsers/title.ts';

/** Returns the title of a request on one line, or its problem with the prefix `title: `. */
export function readTitle(
  sent: string,
):
  | { readonly ok: true; readonly title: string }
  | { readonly ok: false; readonly problem: string } {
  if (sent.length > 2 * MAX_TITLE_LENGTH || [...sent].length > MAX_TITLE_LENGTH)
    return { ok: false, problem: `title: must have at most ${MAX_TITLE_LENGTH} characters` };
  const title = readTitleText(sent);
  return title === null
    ? { ok: false, problem: 'title: must contain a visible character' }
    : { ok: true, title };
}

import { MAX_DOCUMENT_URL_LENGTH } from '@gatehouse/contract';

/** Matches a URL without white space, control characters and characters that reverse the direction of text. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}\p{Cs}\p{Bidi_Control}]+$/iu;

/** Returns the problem of a document's URL, with the prefix `url: `, or null if the URL is valid. */
export function documentUrlProblem(url: string): string | null {
  const problem = problemOf(url);
  return problem === null ? null : `url: ${problem}`;
}

function problemOf(text: string): string | null {
  if (text.length > 2 * MAX_DOCUMENT_URL_LENGTH || [...text].length > MAX_DOCUMENT_URL_LENGTH)
    return `must have at most ${MAX_DOCUMENT_URL_LENGTH} characters`;
  if (!WEB_URL.test(text) || !URL.canParse(text))
    return 'must be an absolute URL that starts with https:// or http://';
  const { username, password } = new URL(text);
  // Every user who may see the document could use the password.
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  return null;
}

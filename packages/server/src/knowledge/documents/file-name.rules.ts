import { MAX_FILE_NAME_LENGTH } from '@gatehouse/contract';

/** Characters that turn the direction of text around, so that `exe.txt` may be shown for `txt.exe`. */
const BIDIRECTIONAL = /\p{Bidi_Control}/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\uD800-\uDFFF]/u;
/** Characters that show nothing, so that two names that look the same may differ. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Scripts in which a joiner chooses the form of the letter before it (ISO 15924). */
const WITH_JOINERS = [
  'Arab',
  'Beng',
  'Deva',
  'Gujr',
  'Guru',
  'Khmr',
  'Knda',
  'Mlym',
  'Mong',
  'Mymr',
  'Orya',
  'Sinh',
  'Syrc',
  'Taml',
  'Telu',
].map((script) => `\\p{Script_Extensions=${script}}`);
/** Where writing needs them all the same: joiners, selectors of variants behind what has some, and inside of emoji. */
const NEEDED = new RegExp(
  [
    '\\p{RGI_Emoji}',
    `(?<=[${WITH_JOINERS.join('')}])[\\u200C\\u200D]`,
    // A Persian ending behind a foreign word.
    '\\u200C(?=\\p{Script_Extensions=Arab})',
    '(?<=\\p{Script_Extensions=Mong})[\\u180B-\\u180F]',
    '(?<=[\\p{Script_Extensions=Han}\\p{Extended_Pictographic}])\\p{Variation_Selector}',
  ].join('|'),
  'gv',
);

/** What is wrong with a file's name, beginning with `fileName: `; null when nothing is. */
export function fileNameProblem(name: string): string | null {
  const problem = problemOf(name);
  return problem === null ? null : `fileName: ${problem}`;
}

function problemOf(name: string): string | null {
  if (name.trim() === '') return 'must not be empty';
  // By its units first: a name of megabytes is not to be taken apart.
  if (name.length > 2 * MAX_FILE_NAME_LENGTH || [...name].length > MAX_FILE_NAME_LENGTH)
    return `must be at most ${MAX_FILE_NAME_LENGTH} characters`;
  if (/[/\\]/.test(name)) return 'must be a name without a path';
  if (name === '.' || name === '..') return 'must be the name of a file, not of a folder';
  if (CONTROL.test(name)) return 'must not hold control characters';
  if (BIDIRECTIONAL.test(name))
    return 'must not hold characters that reverse the direction of text';
  if (INVISIBLE.test(name.replace(NEEDED, ''))) return 'must not hold invisible characters';
  return null;
}

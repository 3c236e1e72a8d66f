import { MAX_FILE_NAME_LENGTH } from '@gatehouse/contract';

/** Characters that reverse the text direction, so the end of a name such as `txt.exe` may be displayed as `exe.txt`. */
const BIDIRECTIONAL = /\p{Bidi_Control}/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\uD800-\uDFFF]/u;
/** Invisible characters, which make different names look equal. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Scripts (ISO 15924) in which a joiner selects the form of the preceding letter. */
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
/** Legitimate uses of invisible characters: joiners, variation selectors, and emoji sequences. */
const PERMITTED_INVISIBLE = [
  '\\p{RGI_Emoji}',
  `(?<=[${WITH_JOINERS.join('')}])[\\u200C\\u200D]`,
  // A Persian suffix after a foreign word.
  '\\u200C(?=\\p{Script_Extensions=Arab})',
  '(?<=\\p{Script_Extensions=Mong})[\\u180B-\\u180F]',
  '(?<=[\\p{Script_Extensions=Han}\\p{Extended_Pictographic}])\\p{Variation_Selector}',
].join('|');
let permitted: RegExp | undefined;

/** Returns the expression `PERMITTED_INVISIBLE`. Compiles it on first use, because compiling takes 15 ms. */
function permittedInvisible(): RegExp {
  permitted ??= new RegExp(PERMITTED_INVISIBLE, 'gv');
  return permitted;
}

/** Returns the problem of a file name, with the prefix `fileName: `, or null if the name is valid. */
export function fileNameProblem(name: string): string | null {
  const problem = problemOf(name);
  return problem === null ? null : `fileName: ${problem}`;
}

function problemOf(name: string): string | null {
  if (name.trim() === '') return 'must not be empty';
  // Checks code units first, because splitting a name of megabytes into characters is slow.
  if (name.length > 2 * MAX_FILE_NAME_LENGTH || [...name].length > MAX_FILE_NAME_LENGTH)
    return `must have at most ${MAX_FILE_NAME_LENGTH} characters`;
  if (/[/\\]/.test(name)) return 'must be a name without a path';
  if (name === '.' || name === '..') return 'must be the name of a file, not of a folder';
  if (CONTROL.test(name)) return 'must not contain control characters';
  if (BIDIRECTIONAL.test(name))
    return 'must not contain characters that reverse the direction of text';
  if (INVISIBLE.test(name) && INVISIBLE.test(name.replace(permittedInvisible(), '')))
    return 'must not contain invisible characters';
  return null;
}

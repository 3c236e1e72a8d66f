import { MAX_FILE_NAME_LENGTH } from '@gatehouse/contract';

/** Characters that turn the direction of text around, so that `exe.txt` may be shown for `txt.exe`. */
const BIDIRECTIONAL = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\uD800-\uDFFF]/u;

/** What is wrong with a file's name, beginning with `fileName: `; null when nothing is. */
export function fileNameProblem(name: string): string | null {
  const problem = problemOf(name);
  return problem === null ? null : `fileName: ${problem}`;
}

function problemOf(name: string): string | null {
  if (name.trim() === '') return 'must not be empty';
  if ([...name].length > MAX_FILE_NAME_LENGTH)
    return `must be at most ${MAX_FILE_NAME_LENGTH} characters`;
  if (/[/\\]/.test(name)) return 'must be a name without a path';
  if (name === '.' || name === '..') return 'must be the name of a file, not of a folder';
  if (CONTROL.test(name)) return 'must not hold control characters';
  if (BIDIRECTIONAL.test(name))
    return 'must not hold characters that reverse the direction of text';
  return null;
}

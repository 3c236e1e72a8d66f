import { distance } from 'fastest-levenshtein';

/**
 * Maximum length of a word to compare. A longer word cannot be a misspelling of a known name, and comparing it would be
 * slow.
 */
const maxComparedLength = 16;

/**
 * Returns the known name closest to a misspelled name, or `undefined` if no known name is close. Ignores case and all
 * characters except letters. Allows one typing error, or two typing errors in a word of at least six letters.
 */
export function nearestName<Name extends string>(
  written: string,
  known: readonly Name[],
): Name | undefined {
  if (written.length > maxComparedLength) return undefined;
  const word = written.toLowerCase().replace(/[^a-z]/g, '');
  let fewestErrors = Math.min(word.length < 6 ? 2 : 3, word.length);
  let nearest: Name | undefined;
  for (const name of known) {
    const errors = typingErrors(word, name.toLowerCase());
    if (errors >= fewestErrors) continue;
    fewestErrors = errors;
    nearest = name;
  }
  return nearest;
}

/** Returns the edit distance. Two swapped letters count as one error. */
function typingErrors(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && sorted(a) === sorted(b) ? 1 : edits;
}

function sorted(word: string): string {
  return Array.from(word).sort().join('');
}

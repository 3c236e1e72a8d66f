import { distance } from 'fastest-levenshtein';

/** A longer word is no misspelling of a known name, and comparing it would be slow. */
const longestCompared = 16;

/**
 * Returns the known name that a misspelt one most likely means, or undefined if none is near. Letter case and signs such as
 * `$` do not count. One typing error is allowed, and two in a word of six letters or more.
 */
export function nearestName<Name extends string>(
  written: string,
  known: readonly Name[],
): Name | undefined {
  if (written.length > longestCompared) return undefined;
  const word = written.toLowerCase().replace(/[^a-z]/g, '');
  let least = Math.min(word.length < 6 ? 2 : 3, word.length);
  let nearest: Name | undefined;
  for (const name of known) {
    const errors = typingErrors(word, name.toLowerCase());
    if (errors >= least) continue;
    least = errors;
    nearest = name;
  }
  return nearest;
}

/** The edit distance, but two swapped letters count as one error. */
function typingErrors(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && sorted(a) === sorted(b) ? 1 : edits;
}

function sorted(word: string): string {
  return Array.from(word).sort().join('');
}

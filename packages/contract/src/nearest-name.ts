import { distance } from 'fastest-levenshtein';

const LONGEST_NAME = 64;
const SHORTEST_PART = 3;

/**
 * Returns the known name that a wrong one most likely means, for the hint in an error message: the same name in another
 * spelling (`ttl_seconds` for `ttlSeconds`), one with few typing errors, or else one that contains the given name or
 * is contained in it (`key` for `apiKey`).
 *
 * @param name of any length; a name over 64 characters has no nearest name.
 * @param candidates the known names; the first of several equally near names wins.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const given = folded(name);
  let nearest: string | undefined;
  let least = errorsAllowed(given) + 1;
  for (const candidate of candidates) {
    const errors = typingErrors(given, folded(candidate));
    if (errors >= least) continue;
    least = errors;
    nearest = candidate;
  }
  return nearest ?? candidates.find((candidate) => isPart(given, folded(candidate)));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}

/** One error in every three characters, at least one and at most three. */
function errorsAllowed(name: string): number {
  return Math.min(3, Math.max(1, Math.floor(name.length / 3)));
}

/** The edit distance, but two swapped letters count as one error. */
function typingErrors(a: string, b: string): number {
  const edits = distance(a, b);
  return edits === 2 && sorted(a) === sorted(b) ? 1 : edits;
}

function sorted(word: string): string {
  return Array.from(word).sort().join('');
}

function isPart(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= SHORTEST_PART && long.includes(short);
}

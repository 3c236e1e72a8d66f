import { distance } from 'fastest-levenshtein';

const LONGEST_NAME = 64;
const SHORTEST_PART = 3;

/**
 * Returns the candidate that a misspelt name most likely means, or `undefined` if no candidate is similar. A candidate
 * is similar if it differs in case or separators (`ttl_seconds`, `ttlSeconds`), has few typing errors, contains the
 * name, or is a part of the name (`key`, `apiKey`). If several candidates are equally similar, returns the first of
 * them. Returns `undefined` for a name of more than 64 characters.
 *
 * @example
 * nearestName('ttl_seconds', ['spaceId', 'ttlSeconds']); // 'ttlSeconds'
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

/**
 * Returns ` (did you mean <candidate>?)` to append to a problem, or an empty string if no candidate is similar.
 *
 * @param prefix text before the suggested name.
 * @example
 * `unknown member${nameHint('ttl', ['ttlSeconds'])}`; // 'unknown member (did you mean ttlSeconds?)'
 */
export function nameHint(name: string, candidates: readonly string[], prefix = ''): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? '' : ` (did you mean ${prefix}${nearest}?)`;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}

/** Returns the permitted number of typing errors: one per three characters, at least one and at most three. */
function errorsAllowed(name: string): number {
  return Math.min(3, Math.max(1, Math.floor(name.length / 3)));
}

/** Returns the edit distance. Two swapped letters count as one error. */
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

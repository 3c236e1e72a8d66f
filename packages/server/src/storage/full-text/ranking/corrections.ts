import { stemPrefix } from '../../../lib/text/index.ts';
import type { TermIndex } from '../terms/index.ts';
import { editDistance } from './edit-distance.ts';
import { formsOf, type TermGroup } from './query-groups.ts';

/** Number of letters from which a word may have two typing errors. Shorter words may have one. */
const MIN_LENGTH_FOR_TWO = 8;
/** Maximum number of corrections of a word. */
const MAX_CORRECTIONS = 3;
const WORD = /^[\p{L}\p{M}]+$/u;

/** Returns the number of visible passages that contain a term. */
type CountOf = (term: number) => number;

interface Correction {
  readonly term: string;
  /** Number of visible passages that contain the term. */
  readonly passages: number;
}

/**
 * Returns the group that replaces a misspelt word: the most similar terms of the scope and their other forms. Returns `null` if no
 * term is similar. Only terms that start with the same letter are considered. The result depends only on the visible passages.
 */
export function correct(
  index: TermIndex,
  word: string,
  countOf: CountOf,
): Pick<TermGroup, 'terms' | 'exact' | 'weight'> | null {
  const corrections = correctionsOf(index, word, countOf);
  if (corrections.length === 0) return null;
  return formsOf(
    index,
    corrections.map((term) => ({ term, prefix: stemPrefix(term) })),
  );
}

/** Returns the terms with the smallest edit distance, the most frequent ones first. */
function correctionsOf(
  { dictionary }: TermIndex,
  word: string,
  countOf: CountOf,
): readonly string[] {
  const letters = [...word];
  const maximum = letters.length < MIN_LENGTH_FOR_TWO ? 1 : 2;
  const byDistance: Correction[][] = [[], [], []];
  const bytes = Buffer.from(word);
  // No visible passage contains the word itself, but a hidden passage may.
  const own = dictionary.find(bytes);
  for (const number of dictionary.similarTo(bytes, maximum)) {
    if (number === own) continue;
    // Terms outside the scope are skipped before the slow comparison. Otherwise the duration of a search would reveal them.
    const passages = countOf(number);
    if (passages === 0) continue;
    const term = Buffer.from(dictionary.bytesOf(number)).toString();
    const distance = editDistance(letters, [...term], maximum);
    if (distance <= maximum && WORD.test(term)) byDistance[distance]?.push({ term, passages });
  }
  const nearest = byDistance.find((some) => some.length > 0) ?? [];
  return nearest
    .toSorted((one, other) => other.passages - one.passages || (one.term < other.term ? -1 : 1))
    .slice(0, MAX_CORRECTIONS)
    .map(({ term }) => term);
}

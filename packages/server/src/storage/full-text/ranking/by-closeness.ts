import { closeness, type Query } from '../../../lib/text/index.ts';

/** Number of passages that are ranked again by the closeness of their words. */
export const RESCORED = 20;
/** Weight of closeness, tuned with the relevance benchmark. */
const CLOSENESS_WEIGHT = 0.3;

/**
 * Ranks the best passages again, so that passages in which the words of the query are near each other move up. Their scores are
 * multiplied by a factor. The other passages keep their scores and their order, so a higher limit does not change the first results.
 *
 * @param passages ordered by score, best first. Must contain at least `RESCORED` passages, or all passages if the search found fewer.
 * @param textsOf returns the texts of a passage. Closeness is measured within each text.
 */
export function byCloseness<Passage extends { readonly score: number }>(
  passages: readonly Passage[],
  { terms }: Query,
  textsOf: (passage: Passage) => readonly string[],
): Passage[] {
  const rescored = passages.slice(0, RESCORED).map((passage) => {
    const factor = 1 + CLOSENESS_WEIGHT * closeness(textsOf(passage), terms);
    return { ...passage, score: passage.score * factor };
  });
  // The sort is stable, so passages with equal scores keep their order.
  rescored.sort((one, other) => other.score - one.score);
  return [...rescored, ...passages.slice(RESCORED)];
}

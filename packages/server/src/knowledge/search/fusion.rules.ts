import type { RankedPassage } from '../../storage/ports/index.ts';

/**
 * How much lower places count: a place gives 1 / (60 + place). 60 is what the method was published with
 * (https://doi.org/10.1145/1571941.1572114); it takes no account of scores, whose scales differ.
 */
const DAMPING = 60;

/**
 * Several rankings of passages made one, by reciprocal rank fusion: what stands high in any is high, and
 * higher when it stands in several. Of equal ones those of the first ranking come first.
 */
export function fuse(
  rankings: readonly (readonly RankedPassage[])[],
  limit: number,
): readonly RankedPassage[] {
  const fused = new Map<string, RankedPassage>();
  for (const ranking of rankings)
    ranking.forEach((passage, index) => {
      const key = `${passage.documentId} ${passage.position}`;
      const score = (fused.get(key)?.score ?? 0) + 1 / (DAMPING + index + 1);
      fused.set(key, { ...passage, score });
    });
  return [...fused.values()].toSorted((a, b) => b.score - a.score).slice(0, limit);
}

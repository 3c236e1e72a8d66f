import type { RankedPassage } from '../../storage/ports/index.ts';

/**
 * The constant k of 1 / (k + rank), as in the method's publication (https://doi.org/10.1145/1571941.1572114). The method
 * ignores scores, since their scales differ.
 */
const DAMPING = 60;

/**
 * Merges rankings of passages by reciprocal rank fusion: a passage with a high rank in any ranking ranks high, and
 * higher if it is in several. Among equals the first ranking comes first.
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

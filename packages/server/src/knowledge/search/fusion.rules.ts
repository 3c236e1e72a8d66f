import type { RankedPassage } from '../../storage/ports/index.ts';

/**
 * The constant k in 1 / (k + rank), with the value of the original publication (https://doi.org/10.1145/1571941.1572114).
 */
const DAMPING = 60;

/**
 * Merges rankings of passages by reciprocal rank fusion. Only ranks count, because the scores of different rankings are not
 * comparable. A passage that is in several rankings moves up. For equal results the first ranking has precedence.
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

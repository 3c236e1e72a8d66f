import type { Step } from '../../../lib/threads/index.ts';
import { type ScopeReads, toRanked } from '../../full-text/loaded-spaces/index.ts';
import type { RankedPassage } from '../../ports/knowledge-engine.ts';
import { nearestPassages } from '../near.ts';
import { cosineScore, scaled } from '../quantise.ts';
import { CANDIDATES } from '../sketches/nearest-sketches.ts';
import type { LoadedSketches } from './loaded-sketches.ts';
import type { SketchReads } from './reads.ts';

/**
 * Returns the passages of a scope whose vectors are most similar to a vector, or `null` if the step was over before the scope was evaluated.
 * The next call continues the evaluation. The space must be up to date; see `LoadedDocuments.update`.
 *
 * @param scope reads of the same snapshot as `reads`.
 */
export async function nearestInSpace(
  space: LoadedSketches,
  reads: SketchReads,
  scope: ScopeReads,
  { vector, limit }: { readonly vector: Float32Array; readonly limit: number },
  step: Pick<Step, 'isOver'>,
): Promise<readonly RankedPassage[] | null> {
  const query = scaled(vector);
  const candidates = await space.nearest(scope, query, limit * CANDIDATES, step);
  if (candidates === null) return null;
  const vectors = candidates.length === 0 ? [] : await reads.vectorsOf(candidates, vector.length);
  const nearest = nearestPassages(limit);
  for (const [at, candidate] of candidates.entries()) {
    const bytes = vectors[at];
    if (bytes?.length !== query.length) continue;
    const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    nearest.add({ ...candidate, score: cosineScore(query, signed, 0) });
  }
  const keys = nearest.sorted();
  const rows = keys.length === 0 ? [] : await scope.passages(keys);
  return rows.map((row) => toRanked(row, keys));
}

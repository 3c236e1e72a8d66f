import { LoadedSketches, nearestInSpace, type SketchReads } from '../../../vectors/loaded/index.ts';
import { type SearchRequest, serveSearches } from '../scope/search-thread.ts';
import { sketchReads } from './stored-sketches.ts';

export interface NearestRequest extends SearchRequest {
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
}

serveSearches<NearestRequest, SketchReads, LoadedSketches>({
  spaceOf: (spaces, { scope, model, vector }) =>
    LoadedSketches.in(spaces, scope.spaceId, { model, dimensions: vector.length }),
  readsOf: sketchReads,
  search: nearestInSpace,
});

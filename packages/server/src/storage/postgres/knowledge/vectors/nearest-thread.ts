import { LoadedSketches, nearestInSpace, type SketchReads } from '../../../vectors/loaded/index.ts';
import { answerSearches, type SearchQuestion } from '../scope/search-thread.ts';
import { sketchReads } from './stored-sketches.ts';

export interface NearestQuestion extends SearchQuestion {
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
}

answerSearches<NearestQuestion, SketchReads, LoadedSketches>({
  spaceOf: (spaces, { scope, model, vector }) =>
    LoadedSketches.in(spaces, scope.spaceId, { model, dimensions: vector.length }),
  readsOf: sketchReads,
  search: nearestInSpace,
});

export { LoadedSketches } from './loaded-sketches.ts';
export { nearestInSpace } from './nearest-in-space.ts';
export type { SketchReads, StoredDocument, StoredSketches } from './reads.ts';

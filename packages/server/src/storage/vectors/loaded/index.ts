export { LoadedVectorSpaces } from './loaded-vector-spaces.ts';
export type { PermittedDocuments, SketchReads, StoredDocument, StoredSketches } from './reads.ts';

export type { DocumentItems, DocumentTable, VisibleItems } from './document-table.ts';
export { LoadedDocuments, type LoadedKind } from './loaded-documents.ts';
export { LoadedSpaces } from './loaded-spaces.ts';
export { type FilterColumns, ParsedMetadata } from './parsed-metadata.ts';
export type { DocumentChange, MaybePromise, ScopeDocuments } from './reads.ts';

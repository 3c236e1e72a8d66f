export { byCloseness, RESCORED } from './by-closeness.ts';
export { groupsOf } from './query-groups.ts';
export { type RankedOrdinal, rank, Scratch } from './rank.ts';
export { FIELD_WEIGHTS, type IndexedDocument, TermIndex } from './term-index.ts';
export { encodeTermVectors, type Frequencies, type SearchableTexts } from './term-vectors.ts';
export { passagesOf, VisiblePassages } from './visible-passages.ts';

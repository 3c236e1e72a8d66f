export { LoadedSpace } from './loaded-space.ts';
export type { PassageKey, PassageRow, ScopeReads, SpaceReads, StoredTerms } from './reads.ts';
export { searchSpace, toRanked } from './search-space.ts';

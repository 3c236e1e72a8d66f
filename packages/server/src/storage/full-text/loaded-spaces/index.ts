export { LoadedSpace } from './loaded-space.ts';
export { LoadedSpaces } from './loaded-spaces.ts';
export type {
  DocumentChange,
  PassageKey,
  PassageRow,
  ScopeReads,
  SpaceReads,
  StoredTerms,
} from './reads.ts';
export { searchSpace } from './search-space.ts';

import type { Query } from '../../../../lib/text/index.ts';
import {
  LoadedSpace,
  type SpaceReads,
  searchSpace,
} from '../../../full-text/loaded-spaces/index.ts';
import { Scratch } from '../../../full-text/ranking/index.ts';
import { type SearchRequest, serveSearches } from '../scope/search-thread.ts';
import { spaceReads } from './stored-terms.ts';

export interface RankingRequest extends SearchRequest {
  readonly query: Query;
  readonly limit: number;
}

const scratch = new Scratch();

serveSearches<RankingRequest, SpaceReads, LoadedSpace>({
  spaceOf: (spaces, { scope }) => spaces.get(scope.spaceId, () => new LoadedSpace()),
  readsOf: spaceReads,
  search: (space, _, scope, { query, limit }, step) =>
    searchSpace(space, scope, query, limit, scratch, step),
});

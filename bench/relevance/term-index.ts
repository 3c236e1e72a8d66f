import type { Query } from '../../packages/server/src/lib/text/index.ts';
import {
  encodeTermVectors,
  type Frequencies,
  groupsOf,
  passagesOf,
  rank,
  TermIndex,
} from '../../packages/server/src/storage/full-text/ranking/index.ts';
import { HITS, type Passage } from './collection.ts';

const DOCUMENT = 1;

/** Returns the ranking of our index without a store. */
export function termIndex(
  passages: readonly Passage[],
  weights: Frequencies,
): (query: Query) => string[] {
  const index = new TermIndex(weights);
  index.add(DOCUMENT, [encodeTermVectors(passages)]);
  const visible = passagesOf(index, [DOCUMENT]);
  return (query) =>
    rank(index, visible, groupsOf(index, query), HITS).map(
      ({ ordinal }) => passages[ordinal]?.unit ?? '',
    );
}

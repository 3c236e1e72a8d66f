import type { Query } from '../../packages/server/src/lib/text/index.ts';
import {
  byCloseness,
  groupsOf,
  passagesOf,
  rank,
} from '../../packages/server/src/storage/full-text/ranking/index.ts';
import {
  encodeTermVectors,
  type Frequencies,
  TermIndex,
} from '../../packages/server/src/storage/full-text/terms/index.ts';
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
  return (query) => {
    const ranked = rank(index, visible, groupsOf(index, query), HITS);
    return byCloseness(ranked, query, ({ ordinal }) => textsOf(passages[ordinal])).map(
      ({ ordinal }) => passages[ordinal]?.unit ?? '',
    );
  };
}

function textsOf(passage: Passage | undefined): readonly string[] {
  return passage === undefined ? [] : [passage.title, passage.heading, passage.body];
}

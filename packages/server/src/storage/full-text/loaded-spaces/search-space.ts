import { containsPhrases, type Query } from '../../../lib/text/index.ts';
import type { Step } from '../../../lib/threads/index.ts';
import type { RankedPassage } from '../../ports/knowledge-engine.ts';
import { titleText } from '../indexed-passage.ts';
import {
  byCloseness,
  groupsOf,
  type RankedOrdinal,
  RESCORED,
  rank,
  type Scratch,
} from '../ranking/index.ts';
import type { LoadedSpace } from './loaded-space.ts';
import type { PassageKey, PassageRow, ScopeReads } from './reads.ts';

/** Maximum number of passages in which a search checks for phrases, best first. Checking a passage takes about 30 µs. */
const MAX_VERIFIED = 10_000;
/** Maximum number of passages that are read together to check for phrases. */
const MAX_READ = 1000;

/**
 * Returns the best passages of a scope, or `null` if the step was over before the scope was evaluated. The next call continues the
 * evaluation. The space must be up to date; see `LoadedSpace.update`.
 */
export async function searchSpace(
  space: LoadedSpace,
  scope: ScopeReads,
  query: Query,
  limit: number,
  scratch: Scratch,
  step: Step,
): Promise<readonly RankedPassage[] | null> {
  const index = space.table;
  const visible = await space.visible(scope, step);
  if (visible === null) return null;
  const isPhrase = query.phrases.length > 0;
  const ranked = rank(
    index,
    visible,
    groupsOf(index, query),
    Math.max(limit, isPhrase ? MAX_VERIFIED : RESCORED),
    scratch,
  );
  const keys = ranked.map((one) => toKey(space, one));
  if (!isPhrase) return (await closest(scope, keys, query)).slice(0, limit);
  const found: RankedPassage[] = [];
  // The first read is usually enough. If phrases are rare, a few large reads are faster than many small ones.
  for (let from = 0, count = limit; from < keys.length && found.length < limit; ) {
    const some = keys.slice(from, from + count);
    for (const row of await scope.passages(some))
      if (matchesPhrases(row, query)) found.push(toRanked(row, some));
    from += count;
    count = Math.max(count, Math.min(2 * count, MAX_READ));
  }
  return found.slice(0, limit);
}

async function closest(
  scope: ScopeReads,
  keys: readonly PassageKey[],
  query: Query,
): Promise<readonly RankedPassage[]> {
  const rows = keys.length === 0 ? [] : await scope.passages(keys);
  const scored = rows.map((row) => ({ row, score: scoreOf(row, keys) }));
  const ranked = byCloseness(scored, query, ({ row }) => textsOf(row));
  return ranked.map(({ row, score }) => ({ ...toRanked(row, keys), score }));
}

function matchesPhrases(row: PassageRow, { phrases }: Query): boolean {
  return containsPhrases(textsOf(row), phrases);
}

function textsOf({ fileName, indexedTitle, heading, text }: PassageRow): readonly string[] {
  return [titleText({ fileName, title: indexedTitle }), heading ?? '', text];
}

function toKey({ table }: LoadedSpace, { ordinal, score }: RankedOrdinal): PassageKey {
  const { number, first } = table.documentOf(ordinal);
  return { number, position: ordinal - first, score };
}

/** Returns a row that was read for one of the keys as a search result. */
export function toRanked(row: PassageRow, keys: readonly PassageKey[]): RankedPassage {
  const { indexedTitle: _, rank: __, ...passage } = row;
  return { ...passage, score: scoreOf(row, keys) };
}

/** Takes the score from the key instead of the row, because an engine may round numbers. */
function scoreOf({ rank: at }: PassageRow, keys: readonly PassageKey[]): number {
  return keys[at]?.score ?? 0;
}

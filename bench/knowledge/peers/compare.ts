import { parse } from '../../../packages/filter/src/index.ts';
import { readQuery } from '../../../packages/server/src/lib/text/index.ts';
import { KnowledgeScope } from '../../../packages/server/src/storage/ports/knowledge-scope.ts';
import { temporaryDirectory } from '../../../packages/server/tests/support/services/service.ts';
import { openStoreOf } from '../../lib/open-store.ts';
import { type SearchTimes, timesOf } from '../../lib/searches.ts';
import { loadOrama } from '../../relevance/peers.ts';
import { fts5, miniSearch, orama, type PeerFilter, type PeerSearch } from './engines.ts';
import { storedPassages } from './stored-passages.ts';

export interface Comparison {
  readonly directory: string;
  readonly spaceId: string;
  readonly filters: Readonly<Record<string, object>>;
  readonly queries: readonly string[];
  readonly runs: number;
  readonly passages: number;
  /** Number of passages for the engines that store an index in JavaScript objects. */
  readonly smallPassages: number;
}

/** The filters of `search.ts`, in the same order. */
const PEER_FILTERS: readonly PeerFilter[] = [
  { sql: 'true', accepts: () => true, where: {} },
  { sql: 'public = 1', accepts: ({ isPublic }) => isPublic, where: { isPublic: true } },
  { sql: 'level >= 5', accepts: ({ level }) => level >= 5, where: { level: { gte: 5 } } },
  {
    sql: `department = 'd7'`,
    accepts: ({ department }) => department === 'd7',
    where: { department: { eq: 'd7' } },
  },
  {
    sql: `(public = 1 or department in ('d1', 'd2', 'd3')) and level <> 3`,
    accepts: ({ isPublic, department, level }) =>
      (isPublic || ['d1', 'd2', 'd3'].includes(department)) && level !== 3,
    where: {
      and: [
        { or: [{ isPublic: true }, { department: { in: ['d1', 'd2', 'd3'] } }] },
        { not: { level: { eq: 3 } } },
      ],
    },
  },
];

type Results = Record<string, Record<string, SearchTimes>>;

/**
 * Measures our store and other engines in this process, without HTTP, with the same passages, queries, filters and number of results.
 * Only one engine is in memory at a time.
 */
export async function comparePeers(comparison: Comparison): Promise<Results> {
  const { directory, passages, smallPassages } = comparison;
  using folder = temporaryDirectory();
  const results: Results = {};
  results[`ours, ${passages} passages`] = await measureOurs(comparison);
  const measure = async (
    name: string,
    count: number,
    open: () => PeerSearch | Promise<PeerSearch>,
  ) => {
    const search = await open();
    results[`${name}, ${count} passages`] = await measurePeer(comparison, search);
    process.stderr.write(`${name}: ${JSON.stringify(results[`${name}, ${count} passages`])}\n`);
  };
  const some = () => storedPassages(directory, smallPassages);
  await measure('fts5', passages, () => fts5(folder.path, storedPassages(directory, passages)));
  await measure('minisearch', smallPassages, () => miniSearch(some()));
  await measure('orama', smallPassages, () => orama(loadOrama(folder.path), some()));
  return results;
}

async function measureOurs(comparison: Comparison): Promise<Record<string, SearchTimes>> {
  const { directory, spaceId, filters } = comparison;
  await using store = await openStoreOf(directory);
  const results: Record<string, SearchTimes> = {};
  for (const [name, filter] of Object.entries(filters)) {
    const parsed = parse(filter);
    if (!parsed.ok) throw new Error(`the filter “${name}” is invalid`);
    const scope = new KnowledgeScope(spaceId, parsed.filter);
    results[name] = await timesOf(comparison, (text) =>
      store.knowledge.search(scope, readQuery(text), 10),
    );
  }
  return results;
}

async function measurePeer(
  comparison: Comparison,
  search: PeerSearch,
): Promise<Record<string, SearchTimes>> {
  const results: Record<string, SearchTimes> = {};
  for (const [index, name] of Object.keys(comparison.filters).entries()) {
    const filter = PEER_FILTERS[index];
    if (filter === undefined) throw new Error(`the filter “${name}” has no form for other engines`);
    results[name] = await timesOf(comparison, (text) => search(text, filter));
  }
  return results;
}

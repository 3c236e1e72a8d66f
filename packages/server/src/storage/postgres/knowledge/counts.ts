import { LRUCache } from 'lru-cache';
import type { Reading } from './reads.ts';

/** Counts change slowly. Outdated counts affect the ranking and the speed of a search, but not which passages match. */
const CACHE = { max: 20_000, ttl: 60_000 };
/** Passages sampled to estimate the mean length. */
const SAMPLED_PASSAGES = 100;
/** Mean length assumed for a space without passages. */
const DEFAULT_LENGTH = 100;

export interface Extent {
  /** Number of the space. Every lexeme of the space starts with this number. */
  readonly number: number;
  readonly passages: number;
  /** Mean number of distinct terms per passage. */
  readonly meanLength: number;
}

/** Passage counts, cached for one minute. A count of 0 is not cached, so newly stored passages are found immediately. */
export interface Counts {
  /** Returns the size of a space, or `null` if the space never had a document. */
  extent(reading: Reading, spaceId: string): Promise<Extent | null>;
  /**
   * Returns the number of passages that match each query. Passages of deleted documents count until they are removed.
   *
   * @param queries `tsquery` strings. The lexemes restrict each query to one space.
   */
  of(reading: Reading, queries: readonly string[]): Promise<number[]>;
}

export function createCounts(): Counts {
  const extents = new LRUCache<string, Extent>(CACHE);
  const counts = new LRUCache<string, number>(CACHE);
  return {
    async extent(reading, spaceId) {
      const known = extents.get(spaceId);
      if (known !== undefined) return known;
      const extent = await measure(reading, spaceId);
      if (extent !== null && extent.passages > 0) extents.set(spaceId, extent);
      return extent;
    },

    async of(reading, queries) {
      const unknown = [...new Set(queries)].filter((query) => counts.get(query) === undefined);
      const found = unknown.length === 0 ? [] : await count(reading, unknown);
      const fresh = new Map(unknown.map((query, index) => [query, found[index] ?? 0]));
      for (const [query, passages] of fresh) if (passages > 0) counts.set(query, passages);
      return queries.map((query) => fresh.get(query) ?? counts.get(query) ?? 0);
    },
  };
}

async function measure(reading: Reading, spaceId: string): Promise<Extent | null> {
  const { rows } = await reading.run(
    `select number,
      (select coalesce(sum(passages), 0)::float8 from documents
        where space_id = $1 and state = 'ready') as passages,
      (select avg(length(terms))::float8 from
        (select terms from passages where space_id = $1 limit ${SAMPLED_PASSAGES}) as sample) as length
    from knowledge_spaces where space_id = $1`,
    [spaceId],
  );
  if (rows[0] === undefined) return null;
  const { number, passages, length } = rows[0];
  return {
    number: Number(number),
    passages: Number(passages),
    meanLength: Number(length ?? DEFAULT_LENGTH),
  };
}

/**
 * Counts index entries without reading rows. `explain analyze` reports how many entries the index scan returned, and the limit
 * stops the query at its first row. Counting the rows would take about 50 times as long.
 */
async function count(reading: Reading, queries: readonly string[]): Promise<number[]> {
  const selects = queries.map(
    (_, index) => `(select 1 from passages where terms @@ $${index + 1}::tsquery limit 1)`,
  );
  const { rows } = await reading.run(
    `explain (analyze, timing off, costs off, format json) ${selects.join(' union all ')}`,
    queries,
  );
  const plans = rows[0]?.['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[] | undefined;
  const scans = (plans ?? []).flatMap(({ Plan }) => scansOf(Plan));
  if (scans.length !== queries.length)
    throw new Error('the query plan does not use the index passages_terms');
  return scans;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly PlanNode[];
}

function scansOf(node: PlanNode): number[] {
  if (node['Node Type'] === 'Bitmap Index Scan') return [node['Actual Rows']];
  return (node.Plans ?? []).flatMap(scansOf);
}

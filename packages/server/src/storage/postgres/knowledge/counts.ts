import { LRUCache } from 'lru-cache';
import type { Reading } from './reads.ts';

/** Counts change slowly, and outdated ones do not change what a search finds. */
const CACHE = { max: 20_000, ttl: 60_000 };
/** Of a space's passages, from whose lengths that of all is taken. */
const SAMPLE = 100;
/** Until there is a passage. */
const SOME_LENGTH = 100;

/** A space and its passages. */
export interface Extent {
  /** Of the space. */
  readonly number: number;
  readonly passages: number;
  /** Terms that a passage has in the mean, each counted once. */
  readonly meanLength: number;
}

/**
 * How many passages have what a search looks for, remembered for a minute. That there are none is not: what was
 * stored since is found at once.
 */
export interface Counts {
  /** Null when the space has never had a document. */
  extent(reading: Reading, spaceId: string): Promise<Extent | null>;
  /**
   * How many passages each of these finds, those of deleted documents that were not removed yet included.
   *
   * @param queries texts of a `tsquery`, each with the number of a space.
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
      const fresh = new Map(unknown.map((query, at) => [query, found[at] ?? 0]));
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
        (select terms from passages where space_id = $1 limit ${SAMPLE}) as sample) as length
    from knowledge_spaces where space_id = $1`,
    [spaceId],
  );
  if (rows[0] === undefined) return null;
  const { number, passages, length } = rows[0];
  return {
    number: Number(number),
    passages: Number(passages),
    meanLength: Number(length ?? SOME_LENGTH),
  };
}

/**
 * Of what the index finds for each, without a look at the rows: `explain` says how many entries the scan of
 * the index gave, and the limit keeps it from going on to more than the first row. Counting the rows themselves
 * takes fifty times as long.
 */
async function count(reading: Reading, queries: readonly string[]): Promise<number[]> {
  const each = queries.map(
    (_, at) => `(select 1 from passages where terms @@ $${at + 1}::tsquery limit 1)`,
  );
  const { rows } = await reading.run(
    `explain (analyze, timing off, costs off, format json) ${each.join(' union all ')}`,
    queries,
  );
  const plans = rows[0]?.['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[] | undefined;
  const scans = (plans ?? []).flatMap(({ Plan }) => scansOf(Plan));
  if (scans.length !== queries.length) throw new Error('the index of passages was not used');
  return scans;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows that the scans of an index gave, in their order. */
function scansOf(node: PlanNode): number[] {
  if (node['Node Type'] === 'Bitmap Index Scan') return [node['Actual Rows']];
  return (node.Plans ?? []).flatMap(scansOf);
}

import { LRUCache } from 'lru-cache';
import { type Query, type QueryTerm, toFts5 } from '../../../lib/text/index.ts';
import {
  type CountedTerm,
  commonOf,
  discriminatingSets,
} from '../../full-text/discriminating-terms.ts';
import type { Read } from '../dialect.ts';

/** Giving as many passages a score takes about four milliseconds: then all of them may have one. */
const FEW = 4000;
/** The share of what a query says that a candidate must have. */
const SHARE = 0.5;

/**
 * A MATCH expression for the passages that have terms with at least half of the query's weight: the
 * best ones are among them, nearly always, and there are ten times fewer of them. Null when so few
 * passages have any of the terms that all of them can be given a score.
 *
 * @param total passages in the index.
 */
export function candidatesOf(counted: readonly CountedTerm[], total: number): string | null {
  if (counted.reduce((sum, { passages }) => sum + passages, 0) <= FEW) return null;
  return discriminatingSets(counted, total, SHARE).map(allOf).join(' OR ');
}

function allOf(set: readonly QueryTerm[]): string {
  return `(${set.map((term) => `(${toFts5({ terms: [term], phrases: [] })})`).join(' AND ')})`;
}

/** Counts change slowly, and outdated ones do not change what a search finds. */
const MAX_AGE_MS = 60_000;
const MAX_COUNTS = 10_000;

export interface CountedQuery {
  /** In the order of the query. */
  readonly terms: readonly CountedTerm[];
  /** Those that are better left out when others are left. */
  readonly common: ReadonlySet<string>;
  /** Passages in the index. */
  readonly total: number;
}

/** How many passages of the store have each term of a query, all spaces together, remembered for a minute. */
export function createTermCounts(): (read: Read, query: Query) => Promise<CountedQuery> {
  const counts = new LRUCache<string, number>({ max: MAX_COUNTS, ttl: MAX_AGE_MS });

  async function count(
    read: Read,
    key: string,
    sql: string,
    parameters: readonly string[],
  ): Promise<number> {
    const cached = counts.get(key);
    if (cached !== undefined) return cached;
    const { rows } = await read(sql, parameters);
    const passages = Number(rows[0]?.['passages'] ?? 0);
    counts.set(key, passages);
    return passages;
  }

  function countTerm(read: Read, term: QueryTerm): Promise<number> {
    const match = toFts5({ terms: [term], phrases: [] });
    return count(
      read,
      match,
      'select count(*) as passages from passages_fts where passages_fts match ?',
      [match],
    );
  }

  return async (read, { terms }) => {
    const total = await count(
      read,
      '',
      'select count(*) as passages from passages_fts_docsize',
      [],
    );
    // One after the other: a space may have few reads waiting, and so each search has one.
    const counted: CountedTerm[] = [];
    for (const term of terms) counted.push({ term, passages: await countTerm(read, term) });
    return { terms: counted, common: commonOf(counted, total), total };
  };
}

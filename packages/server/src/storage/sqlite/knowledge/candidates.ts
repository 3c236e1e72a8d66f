import { type QueryTerm, toFts5 } from '../../../lib/text/index.ts';
import { type CountedTerm, tellingSets } from '../../full-text/telling-sets.ts';

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
  return tellingSets(counted, total, SHARE).map(allOf).join(' OR ');
}

function allOf(set: readonly QueryTerm[]): string {
  return `(${set.map((term) => `(${toFts5({ terms: [term], phrases: [] })})`).join(' AND ')})`;
}

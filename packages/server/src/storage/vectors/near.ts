import { TopK } from './top-k.ts';

/** A passage with its similarity to a query. */
export interface Near {
  /** Document number. */
  readonly number: number;
  readonly position: number;
  readonly score: number;
}

/**
 * Creates an empty list of the nearest passages. Passages with equal scores are ordered by document number and position, so the order in
 * which passages are added does not affect the list.
 */
export function nearestPassages(count: number): TopK<Near> {
  return new TopK(count, (a, b) => a.number - b.number || a.position - b.position);
}

import type { JudgedQuery } from './collection.ts';

const DEPTH = 10;

export interface Relevance {
  /** Normalised discounted cumulative gain from 0 to 1 (Järvelin and Kekäläinen 2002; gain 2^grade - 1, discount log2). */
  readonly ndcgAt10: number;
  readonly recallAt10: number;
  /** Mean reciprocal rank of the first relevant unit, or 0 for a query without a relevant unit among the first ten. */
  readonly mrrAt10: number;
  readonly queries: number;
}

/** @param rank returns the units, best first. Repeated units count only once. */
export function measure(
  queries: readonly JudgedQuery[],
  rank: (text: string) => readonly string[],
): Relevance {
  let ndcg = 0;
  let recall = 0;
  let reciprocal = 0;
  for (const { text, grades } of queries) {
    const found = [...new Set(rank(text))].slice(0, DEPTH).map((unit) => grades.get(unit) ?? 0);
    const best = [...grades.values()].sort((a, b) => b - a).slice(0, DEPTH);
    ndcg += gain(found) / gain(best);
    recall += found.filter((grade) => grade > 0).length / grades.size;
    const first = found.findIndex((grade) => grade > 0);
    if (first >= 0) reciprocal += 1 / (first + 1);
  }
  const mean = (sum: number) => Number((sum / queries.length).toFixed(3));
  return {
    ndcgAt10: mean(ndcg),
    recallAt10: mean(recall),
    mrrAt10: mean(reciprocal),
    queries: queries.length,
  };
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
}

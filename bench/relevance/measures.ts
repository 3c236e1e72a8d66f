import type { JudgedQuery } from './collection.ts';

const DEPTH = 10;

export interface Relevance {
  /** How near the order is to the best one (Järvelin and Kekäläinen 2002; gain 2^grade - 1, discount log2), 0 to 1. */
  readonly ndcgAt10: number;
  /** How much of what is relevant is among the first ten, 0 to 1. */
  readonly recallAt10: number;
  readonly queries: number;
}

/** The means over the queries of what a ranking gives: ids of passages, best first. */
export function measure(
  queries: readonly JudgedQuery[],
  rank: (text: string) => readonly string[],
): Relevance {
  let ndcg = 0;
  let recall = 0;
  for (const { text, grades } of queries) {
    const found = rank(text)
      .slice(0, DEPTH)
      .map((id) => grades.get(id) ?? 0);
    const best = [...grades.values()].sort((a, b) => b - a).slice(0, DEPTH);
    ndcg += gain(found) / gain(best);
    recall += found.filter((grade) => grade > 0).length / grades.size;
  }
  const mean = (sum: number) => Number((sum / queries.length).toFixed(3));
  return { ndcgAt10: mean(ndcg), recallAt10: mean(recall), queries: queries.length };
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
}

export interface Passage {
  readonly id: string;
  /** Part of a document that is judged: the passage itself, or the section to which it belongs. */
  readonly unit: string;
  readonly title: string;
  readonly heading: string;
  readonly body: string;
}

export interface JudgedQuery {
  readonly text: string;
  /** Grades by unit: 2 answers the question, 1 helps. All other units are irrelevant. */
  readonly grades: ReadonlyMap<string, number>;
}

export interface Collection {
  readonly name: string;
  readonly passages: readonly Passage[];
  readonly queries: readonly JudgedQuery[];
}

/** Returns the units of the best passages for a query, best first. A unit occurs once per passage. */
export type Rank = (text: string) => readonly string[];

/** Number of passages that a ranking returns. Ten units are judged, and several passages can belong to the same unit. */
export const HITS = 50;

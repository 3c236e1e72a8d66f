import { findHits, indexedText, type Query, tokenise } from '../../lib/text/index.ts';
import type { SourcePassage } from '../answerer.ts';
import { type Unit, unitsOf } from './units.ts';

/** A unit that may be quoted, and what of the query it speaks of. */
export interface Candidate {
  readonly passage: SourcePassage;
  /** Of its passage among all, from 0, best first. */
  readonly rank: number;
  /** Of the unit in its passage, from 0. */
  readonly index: number;
  readonly units: readonly Unit[];
  /** The query's parts that stand in it, or in a question right before it that it therefore answers. */
  readonly own: ReadonlySet<number>;
  /** Those that stand in its heading. */
  readonly above: ReadonlySet<number>;
  /** Its terms, to tell what was quoted already. */
  readonly key: string;
}

const QUESTION = /[?？؟]["'”»)]*$/u;
/** Of words or pairs of letters: less is a label and no statement. */
const FEWEST_TERMS = 3;

/** The units of the passages that the query finds, by themselves or by their heading. Questions are no answers. */
export function candidatesOf(query: Query, passages: readonly SourcePassage[]): Candidate[] {
  return passages.flatMap((passage, rank) => {
    const units = unitsOf(passage.text);
    const above = partsIn(passage.heading ?? '', query);
    return units.flatMap((unit, index) => {
      if (asks(unit) || tokenise(unit.text).length < FEWEST_TERMS) return [];
      const before = units[index - 1];
      const own = partsIn(unit.text, query);
      const answers = before !== undefined && asks(before) ? partsIn(before.text, query) : [];
      for (const part of answers) own.add(part);
      // A heading speaks for how its text begins.
      if (own.size === 0 && (above.size === 0 || index > 0)) return [];
      return [{ passage, rank, index, units, own, above, key: indexedText(unit.text) }];
    });
  });
}

/** What of the query stands anywhere in a passage, its heading or the name of its file. */
export function partsOfPassage(passage: SourcePassage, query: Query): Set<number> {
  return partsIn(`${passage.fileName}\n${passage.heading ?? ''}\n${passage.text}`, query);
}

function partsIn(text: string, query: Query): Set<number> {
  return new Set(findHits(text, query).map(({ part }) => part));
}

function asks({ text }: Unit): boolean {
  return QUESTION.test(text);
}

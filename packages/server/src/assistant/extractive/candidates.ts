import { findHits, indexedText, type Query, sentencesOf, tokenise } from '../../lib/text/index.ts';
import type { SourcePassage } from '../answerer.ts';

/** The smallest piece of a passage that is quoted: a sentence, an item of a list or a row of a table. */
export interface Unit {
  /** On one line, without the mark of a list. Never empty. */
  readonly text: string;
  /** Which of the passage's paragraphs it stands in, from 0. */
  readonly block: number;
  /** It is a row of a table, whose cells ` | ` parts. */
  readonly row: boolean;
}

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

const BLANK_LINES = /\n[^\S\n]*\n\s*/;
const LIST_MARK = /^(?:[-*+•‣◦–—]|\d{1,3}[.)])\s+/;
const ENDS_SENTENCE = /[\p{STerm}:;…|][\p{Pe}\p{Pf}"']*$/u;
const ROW = ' | ';
/** A line this long that ends amid a sentence was probably cut to a width. */
const WRAPPED_FROM = 45;
const CARRIES_ON = /^[\p{L}\p{N}("'„“«]/u;
/** Marks that change the direction of what stands behind them, beyond the quotation. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The units of a passage's text, in order. */
function unitsOf(text: string): Unit[] {
  return text
    .replace(DIRECTIONS, '')
    .split(BLANK_LINES)
    .flatMap((paragraph, block) =>
      linesOf(paragraph)
        .flatMap((line) => (line.includes(ROW) ? [line] : sentencesOf(line)))
        .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
        .filter((sentence) => sentence !== '')
        .map((sentence) => ({ text: sentence, block, row: sentence.includes(ROW) })),
    );
}

/** The lines of a paragraph, put together again where only its width parted them. */
function linesOf(paragraph: string): string[] {
  const lines: string[] = [];
  let wrapped = false;
  for (const raw of paragraph.split('\n')) {
    const line = raw.trim();
    const item = LIST_MARK.exec(line)?.[0] ?? '';
    if (wrapped && item === '' && CARRIES_ON.test(line)) lines.push(`${lines.pop()} ${line}`);
    else lines.push(line.slice(item.length));
    wrapped = line.length >= WRAPPED_FROM && !line.includes(ROW) && !ENDS_SENTENCE.test(line);
  }
  return lines;
}

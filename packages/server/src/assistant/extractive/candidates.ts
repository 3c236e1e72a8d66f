import type { SourcePassage } from '../answerer.ts';
import { type AnswerKind, hasKind, isAmount, isKindWord } from './answer-kind.ts';
import { isQuestion, isStatement, type Unit, unitsOf } from './units.ts';
import type { Language } from './words/language.ts';
import { creditOf, formsOf, type Term, type TextForms } from './words/terms.ts';

/** The parts of a question that decide which sentence answers it. */
export interface Inquiry {
  readonly language: Language;
  readonly kind: AnswerKind;
  readonly terms: readonly Term[];
  /** For a follow-up question: further terms from the questions before it. Otherwise empty. */
  readonly context: readonly Term[];
  /** Minimum share of `context` that an answer must cover. */
  readonly contextShare: number;
}

/** A unit that may be quoted, with the degree to which it covers the terms of a question. */
export interface Candidate {
  readonly passage: SourcePassage;
  /** Zero-based rank of the passage, best first. */
  readonly rank: number;
  /** Zero-based index of the unit in its passage. */
  readonly index: number;
  readonly units: readonly Unit[];
  /** Credits from 0 to 1 in the order of the terms, then of the context terms. */
  readonly credits: readonly number[];
  readonly hasKind: boolean;
  /** `true` if the unit, its lead or its own heading contains a term. */
  readonly isNear: boolean;
}

export interface ReadPassages {
  readonly candidates: readonly Candidate[];
  /** Number of passages that contain each term, in the order of the terms, then of the context terms. */
  readonly frequencies: readonly number[];
}

// Factors for the credit of a term that occurs not in the unit but in the text around it.
const IN_LEAD = 1;
const IN_HEADING = 0.9;
const IN_TITLE = 0.85;
const IN_PREVIOUS = 0.75;

/** Reads the units of the passages. All statistics come from these passages, so they reveal nothing about hidden documents. */
export function readPassages(
  { language, kind, terms, context }: Inquiry,
  passages: readonly SourcePassage[],
): ReadPassages {
  const all = [...terms, ...context];
  const numbers = terms.map(({ word }) => word).filter((word) => /\p{N}/u.test(word));
  const frequencies = all.map(() => 0);
  const candidates = passages.flatMap((passage, rank) => {
    const units = unitsOf(passage.text);
    const read = units.map(({ text }) => formsOf(text, language));
    const path = passage.heading?.split(' › ') ?? [];
    const ownHeading = path.at(-1) ?? '';
    const heading = formsOf(ownHeading, language);
    const headingCredit = isQuestion({ text: ownHeading }) ? IN_LEAD : IN_HEADING;
    const title = formsOf([...path.slice(0, -1), nameOf(passage)].join('\n'), language);
    const beside = all.map((term) => ({
      heading: headingCredit * creditOf(term, heading, language),
      title: IN_TITLE * creditOf(term, title, language),
    }));
    const inUnits = read.map((forms) => all.map((term) => creditOf(term, forms, language)));
    for (const [at] of all.entries())
      if (Math.max(beside[at]?.heading ?? 0, ...inUnits.map((credits) => credits[at] ?? 0)) > 0.5)
        frequencies[at] = (frequencies[at] ?? 0) + 1;
    return units.flatMap((unit, index) => {
      if (!isStatement(unit)) return [];
      // The number of an order is no time, although many times contain a number.
      const text = kind === 'time' ? without(unit.text, numbers) : unit.text;
      const isOfKind = hasKind(text, kind, unit.isRow);
      const previous = units[index - 1]?.block === unit.block ? inUnits[index - 1] : undefined;
      const lead = leadForms(unit, language);
      let isNear = false;
      const credits = all.map((term, at) => {
        const near = Math.max(
          inUnits[index]?.[at] ?? 0,
          lead === null ? 0 : IN_LEAD * creditOf(term, lead, language),
          beside[at]?.heading ?? 0,
        );
        const isStrong = !term.isWeak && !isKindWord(term.word, kind) && !isAmount(term.word);
        // The heading of a record identifies it, such as `Order 1001`, so even a weak word or a number matches.
        if (near > 0.5 && (isStrong || passage.isRecord === true)) isNear = true;
        const byKind = isKindWord(term.word, kind) && isOfKind ? 1 : 0;
        return Math.max(
          near,
          byKind,
          beside[at]?.title ?? 0,
          IN_PREVIOUS * (unit.isRow ? 0 : (previous?.[at] ?? 0)),
        );
      });
      return [{ passage, rank, index, units, credits, hasKind: isOfKind, isNear }];
    });
  });
  return { candidates, frequencies };
}

function without(text: string, words: readonly string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(word, ' '), text);
}

function leadForms({ lead }: Unit, language: Language): TextForms | null {
  return lead === null ? null : formsOf(lead, language);
}

/** Returns the file name without its extension. */
function nameOf({ fileName }: SourcePassage): string {
  return fileName.replace(/\.\w+$/, '').replaceAll(/[-_]/g, ' ');
}

import type { SourcePassage } from '../answerer.ts';
import { type AnswerKind, hasKind, isAmount, isKindWord } from './answer-kind.ts';
import { isQuestion, isStatement, type Unit, unitsOf } from './units.ts';
import type { Language } from './words/language.ts';
import { creditOf, formsOf, type Term, type TextForms } from './words/terms.ts';

/** The parts of a question that decide which sentence answers it. */
export interface Inquiry {
  readonly language: Language;
  readonly kind: AnswerKind;
  /** `true`: the list or the paragraph below a heading that covers the question answers it. */
  readonly asksForSteps: boolean;
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
  /** If the candidate is all steps below the passage's heading: the number of their items or sentences. Otherwise 0. */
  readonly steps: number;
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
/** Maximum length of a paragraph that describes steps. */
const MAX_PARAGRAPH = 350;

/** Reads the units of the passages. All statistics come from these passages, so they reveal nothing about hidden documents. */
export function readPassages(
  { language, kind, asksForSteps, terms, context }: Inquiry,
  passages: readonly SourcePassage[],
): ReadPassages {
  const all = [...terms, ...context];
  const numbers = terms.map(({ word }) => word).filter((word) => /\p{N}/u.test(word));
  const hasOnlyNumbers = all.every(({ word, isWeak }) => isWeak || /^\p{N}+$/u.test(word));
  const isStrong = ({ word, isWeak }: Term) =>
    !isWeak && !isKindWord(word, kind) && (hasOnlyNumbers || !isAmount(word));
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
    const procedure = asksForSteps ? stepsBelowHeading(units) : null;
    const own = all.map((term) => creditOf(term, heading, language));
    const steps = {
      ...{ passage, rank, units, index: procedure?.start ?? 0, steps: procedure?.count ?? 0 },
      credits: own.map((credit, at) => Math.max(credit, beside[at]?.title ?? 0)),
      hasKind: true,
      isNear: all.some((term, at) => (own[at] ?? 0) > 0.5 && isStrong(term)),
    };
    const single = units.flatMap((unit, index) => {
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
        // The heading of a record identifies it, such as `Order 1001`, so even a weak word or a number matches.
        if (near > 0.5 && (isStrong(term) || passage.isRecord === true)) isNear = true;
        const byKind = isKindWord(term.word, kind) && isOfKind ? 1 : 0;
        return Math.max(
          near,
          byKind,
          beside[at]?.title ?? 0,
          IN_PREVIOUS * (unit.isRow ? 0 : (previous?.[at] ?? 0)),
        );
      });
      return [{ passage, rank, index, units, steps: 0, credits, hasKind: isOfKind, isNear }];
    });
    return procedure === null ? single : [steps, ...single];
  });
  return { candidates, frequencies };
}

/**
 * Returns the first list of a passage, or its first paragraph if it is short. Returns `null` if there is only one sentence or
 * item, or if a sentence introduces the list.
 */
function stepsBelowHeading(units: readonly Unit[]): { start: number; count: number } | null {
  const item = units.findIndex(({ isItem, isRow }) => isItem && !isRow);
  const start = Math.max(0, item);
  const first = units[start];
  if (first === undefined || first.lead !== null || first.isRow) return null;
  const isStep = ({ isItem, block }: Unit) => (item === -1 ? block === first.block : isItem);
  const end = units.findIndex((unit, index) => index > start && !isStep(unit));
  const steps = units.slice(start, end === -1 ? undefined : end);
  const isLong = steps.reduce((sum, { text }) => sum + text.length, 0) > MAX_PARAGRAPH;
  return steps.length > 1 && (item !== -1 || !isLong) ? { start, count: steps.length } : null;
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

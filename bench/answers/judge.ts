import type { GivenAnswer } from './ask.ts';
import type { JudgedQuestion } from './collection.ts';

export interface Judgement {
  readonly question: JudgedQuestion;
  readonly answer: GivenAnswer;
  /** `true` if the answer quotes a document. */
  readonly isShown: boolean;
  readonly isRight: boolean;
}

/**
 * Judges an answer. A quotation is right only if it contains an expected sentence, or all cells of an expected row in one line. If
 * nothing is expected, and for small talk, an answer that cites a document is wrong.
 */
export function judge(question: JudgedQuestion, answer: GivenAnswer): Judgement {
  const isShown = answer.cited.length > 0;
  return { question, answer, isShown, isRight: isRight(question, answer, isShown) };
}

function isRight({ kind, expected }: JudgedQuestion, { text }: GivenAnswer, isShown: boolean) {
  if (expected === 'none') return !isShown;
  const lines = text.replace(/\\([^\p{L}\p{N}\s])/gu, '$1').split('\n');
  const isFound = expected.some((sought) =>
    lines.some((line) => sought.split(' | ').every((cell) => line.includes(cell))),
  );
  return isFound && isShown === (kind !== 'small-talk');
}

/** Results of a benchmark. Each share is a number from 0 to 1, or `null` if there are no questions or answers to count. */
export interface Measures {
  readonly questions: number;
  /** Share of right answers among the answers that quote a document. */
  readonly precision: number | null;
  /** Share of answerable questions, including follow-ups, that have a right answer. */
  readonly answered: number | null;
  readonly followUps: number | null;
  /** Share of unanswerable questions, including follow-ups, for which no document is quoted. */
  readonly declined: number | null;
  readonly smallTalk: number | null;
}

export function measure(judgements: readonly Judgement[]): Measures {
  const right = (some: readonly Judgement[]) =>
    some.length === 0
      ? null
      : Number((some.filter(({ isRight }) => isRight).length / some.length).toFixed(3));
  const of = (...kinds: readonly JudgedQuestion['kind'][]) =>
    judgements.filter(({ question }) => kinds.includes(question.kind));
  return {
    questions: judgements.length,
    precision: right(judgements.filter(({ isShown }) => isShown)),
    answered: right(of('obvious', 'answerable', 'follow-up')),
    followUps: right(of('follow-up', 'unanswerable-follow-up')),
    declined: right(of('unanswerable', 'unanswerable-follow-up')),
    smallTalk: right(of('small-talk')),
  };
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Selects the documents that are searched for a question and the link that asks it. */
export type View = 'customer' | 'staff' | 'bikes';

export interface JudgedQuestion {
  /** Unique and permanent. Determines the half. */
  readonly id: string;
  readonly view: View;
  readonly language: string;
  /**
   * `obvious` questions are answerable, too. An `unanswerable-follow-up` has no answer, although the questions before it have
   * one.
   */
  readonly kind:
    | 'obvious'
    | 'answerable'
    | 'follow-up'
    | 'unanswerable'
    | 'unanswerable-follow-up'
    | 'small-talk';
  /** Earlier questions of the same conversation. */
  readonly before?: readonly string[];
  readonly question: string;
  /**
   * An answer must contain at least one of these texts. ` | ` separates the cells of a table row. `none`: the documents contain
   * no answer, so an answer that quotes a document is wrong.
   */
  readonly expected: readonly string[] | 'none';
}

export type Half = 'tuning' | 'held out';

const QUESTIONS = new URL('questions/', import.meta.url);

export function readQuestions(): JudgedQuestion[] {
  return readdirSync(QUESTIONS)
    .toSorted()
    .flatMap((name) => JSON.parse(readFileSync(new URL(name, QUESTIONS), 'utf8')));
}

/** Returns `tuning` if the first byte of the SHA-256 hash of the question's ID is even, otherwise `held out`. */
export function halfOf({ id }: Pick<JudgedQuestion, 'id'>): Half {
  const [first = 0] = createHash('sha256').update(id).digest();
  return first % 2 === 0 ? 'tuning' : 'held out';
}

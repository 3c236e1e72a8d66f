import type { Answerer, AnswerPart, Question, SourcePassage } from '../answerer.ts';
import { partsOfPassage } from './candidates.ts';
import { chooseQuotes, partsOf, subjectOf } from './choose.ts';
import { compose } from './compose.ts';
import { type Language, languageOf } from './language.ts';
import { WORDS } from './words.ts';

/** Of the things that a question is about, the share that one passage must speak of to count as an answer. */
const CLEAR = 0.5;
/** A question about no more things than this may go on with what was asked before it. */
const MOST_PARTS_OF_FOLLOW_UP = 3;

/**
 * Answers without a model, by quoting sentences of the passages, and says that it does. It invents nothing:
 * besides a sentence of its own at the start, in the language of the question, all its text stands in a source.
 * It follows no instructions, knows no facts, and never fails but by the signal.
 */
export function createExtractiveAnswerer(): Answerer {
  return {
    async *answer(question) {
      const { signal } = question;
      signal.throwIfAborted();
      const language = languageOf(question.question, question.locale);
      const found = find(question.question, question.passages, language) ??
        (await findAsFollowUp(question, language)) ?? { parts: [nothing(language)] };
      for (const part of found.parts) {
        signal.throwIfAborted();
        yield part;
      }
    },
  };
}

interface Found {
  readonly parts: Iterable<AnswerPart>;
}

/** The parts of an answer, or null when no passage speaks of what is asked. */
function find(
  question: string,
  passages: readonly SourcePassage[],
  language: Language,
): Found | null {
  const query = subjectOf(question, language);
  const quotes = chooseQuotes(query, passages);
  if (quotes.length === 0) return null;
  const best = Math.max(...quotes.map(({ passage }) => partsOfPassage(passage, query).size));
  const clear = best >= CLEAR * partsOf(query);
  return { parts: withOpening(WORDS[language][clear ? 'found' : 'near'], compose(quotes, query)) };
}

/** `And in Germany?` finds nothing alone, so it is asked again behind what was asked before. */
async function findAsFollowUp(question: Question, language: Language): Promise<Found | null> {
  const before = question.history.findLast(({ role }) => role === 'user')?.text;
  if (before === undefined) return null;
  if (partsOf(subjectOf(question.question, language)) > MOST_PARTS_OF_FOLLOW_UP) return null;
  const both = `${before}\n${question.question}`;
  try {
    return find(both, await question.search(both), language);
  } catch {
    // Without another search there is still the honest answer that nothing was found.
    return null;
  }
}

function* withOpening(opening: string, rest: Iterable<AnswerPart>): Generator<AnswerPart> {
  yield { kind: 'text', text: opening };
  yield* rest;
}

function nothing(language: Language): AnswerPart {
  return { kind: 'text', text: WORDS[language].nothing };
}

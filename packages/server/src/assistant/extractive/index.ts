import { readQuery } from '../../lib/text/index.ts';
import type { Answerer, AnswerPart, Question, SourcePassage } from '../answerer.ts';
import type { Inquiry } from './candidates.ts';
import { chooseQuotes } from './choose.ts';
import { compose } from './compose.ts';
import { inquiryOf } from './follow-up.ts';
import { PHRASES } from './phrases.ts';
import { nothingFound, replyTo } from './small-talk/replies.ts';
import { type SmallTalk, smallTalkOf, withoutSmallTalk } from './small-talk/small-talk.ts';
import { detectLanguage, type Language, languageOfLocale } from './words/language.ts';
import { MAX_READ } from './words/terms.ts';

/**
 * Creates an answerer that quotes sentences of the passages instead of using a model. It answers small talk from the texts of the
 * bot and the link. If no sentence covers the question, it says so and quotes nothing. All quoted text comes from the sources.
 * The answerer ignores instructions and facts, and fails only if the signal aborts.
 *
 * @param options.replacesModel `true`: an answer first says that the budget for models is used up. Default `false`.
 */
export function createExtractiveAnswerer({ replacesModel = false } = {}): Answerer {
  return {
    async *answer(question) {
      const { signal } = question;
      signal.throwIfAborted();
      for (const part of await partsOf(question, replacesModel)) {
        signal.throwIfAborted();
        yield part;
      }
    },
  };
}

async function partsOf(question: Question, replacesModel: boolean): Promise<Iterable<AnswerPart>> {
  const { texts, history } = question;
  const text = question.question.slice(0, MAX_READ);
  const talk = smallTalkOf(text);
  const language = languageOf(question, talk);
  if (talk !== null) return [{ kind: 'text', text: replyTo(talk.kind, texts, language) }];
  const inquiry = inquiryOf(withoutSmallTalk(text), history, language);
  const quotes = chooseQuotes(inquiry, await passagesFor(inquiry, question));
  const { budgetUsed, found } = PHRASES[language];
  const notice = replacesModel ? `_${budgetUsed}_\n\n` : '';
  if (quotes.length === 0)
    return [
      { kind: 'text', text: notice + nothingFound(texts, language, text) },
      { kind: 'unanswered' },
    ];
  return withOpening(notice + found, compose(quotes, readQuery(searchTextOf(inquiry))));
}

/**
 * Returns the language of the answer: the language of the message if it can be detected, otherwise that of the previous messages
 * or the locale.
 */
function languageOf({ question, history, locale }: Question, talk: SmallTalk | null): Language {
  const before = history.findLast(({ role }) => role === 'user')?.text ?? '';
  const guesses = [
    detectLanguage(question, locale),
    detectLanguage(before, locale),
    languageOfLocale(locale),
  ];
  if (talk === null) return guesses.find((guess) => guess !== null) ?? 'en';
  const { languages } = talk;
  return (
    guesses.find((guess) => guess !== null && languages.includes(guess)) ?? languages[0] ?? 'en'
  );
}

/**
 * Returns the passages that were found for the question, and those that a second search finds for its terms and their synonyms.
 * If the second search fails, the answer uses the first passages only.
 */
async function passagesFor(inquiry: Inquiry, question: Question): Promise<SourcePassage[]> {
  const further = await question.search(searchTextOf(inquiry)).catch(() => []);
  const passages = new Map<string, SourcePassage>();
  for (const passage of [...further, ...question.passages]) {
    const key = JSON.stringify([passage.documentId, passage.position]);
    if (!passages.has(key)) passages.set(key, passage);
  }
  return [...passages.values()];
}

function searchTextOf({ terms, context }: Inquiry): string {
  const all = [...terms, ...context];
  const synonyms = all.flatMap((term) => term.synonyms.flat().map(({ text }) => text));
  return [...all.map(({ text }) => text), ...synonyms].join(' ');
}

function* withOpening(opening: string, rest: Iterable<AnswerPart>): Generator<AnswerPart> {
  yield { kind: 'text', text: opening };
  yield* rest;
}

import type { HistoryMessage } from '../answerer.ts';
import { answerKindOf, asksHow } from './answer-kind.ts';
import type { Inquiry } from './candidates.ts';
import { smallTalkOf, withoutSmallTalk } from './small-talk/small-talk.ts';
import { detectLanguage, type Language, languageOfLocale } from './words/language.ts';
import { MAX_READ, type Term, termsOf } from './words/terms.ts';

/** Matches a question that starts by continuing the previous one, usually with a new subject: `And to Germany?`. */
const CONTINUES: Record<Language, RegExp> = {
  en: /^(?:and|or|but|what about|how about|what if)\b/,
  de: /^(?:und|oder|aber|was ist mit|wie ist es mit)(?!\p{L})/u,
  fr: /^(?:et|ou|mais|qu'en est-il)(?!\p{L})/u,
  es: /^[¿¡\s]*(?:y|o|pero|qué hay de)(?!\p{L})/u,
  ru: /^(?:а|и|или|но|как насчет)(?!\p{L})/u,
  ar: /^(?:و(?!\s*ا?سع)|أو\s|ماذا عن)/,
  zh: /^(?:那|那么|还有)|呢[？?]?$/,
  ja: /^(?:では|じゃあ|それで|あと|また)|^[^\s、。]{1,12}は[？?]$/,
};

/** Matches words that refer to something in the previous question. */
const REFERS: Record<Language, RegExp> = {
  en: /\b(?:it|its|they|them|their|that|this|these|those|there|one|he|she|his|her)\b/,
  de: /(?<!\p{L})(?:es|sie|ihn|ihr|ihm|das|dies|diese[rsmn]?|davon|dafür|dort|damit)(?=[\s?.!]*$|\s(?:denn|auch|kosten|dauern))/u,
  fr: /(?<!\p{L})(?:il|elle|ils|elles|ça|cela|celui-ci|celle-ci|là|y)(?!\p{L})/u,
  es: /(?<!\p{L})(?:eso|esto|ello|él|ella|ellos|ellas|ese|esa)(?!\p{L})/u,
  ru: /(?<!\p{L})(?:это|этого|он|она|оно|они|его|её|ее|их|там)(?!\p{L})/u,
  ar: /(?<!\p{L})(?:هذا|هذه|ذلك|تلك|هو|هي|هناك)(?!\p{L})|(?:سعر|تكلفت|مدت|لون|وزن)ه[ا]?(?!\p{L})/u,
  zh: /它|这个|那个|这些|那些/,
  ja: /それ|これ|あれ|その|この/,
};
/** Maximum number of words of a fragment such as `Germany?`. */
const MAX_FRAGMENT = 2;
const MAX_EARLIER = 3;
/** Minimum share of the earlier questions' terms that an answer must cover if the follow-up question has a new subject. */
const REPLACED = 0;
/** The same share if the follow-up question refers to the earlier subject. */
const KEPT = 0.6;

/**
 * Returns the terms of a question and the kind of answer that it asks for. A follow-up question inherits terms and the kind from
 * the questions before it. Its own terms must still be covered, so a new subject never returns the previous answer.
 */
export function inquiryOf(
  question: string,
  history: readonly HistoryMessage[],
  language: Language,
): Inquiry {
  const terms = termsOf(question, language);
  const kind = answerKindOf(question, language);
  const asksForSteps = kind === null && asksHow(question, language);
  const alone: Inquiry = { language, kind, asksForSteps, terms, context: [], contextShare: 0 };
  const link = linkOf(question, terms, language);
  if (link === null) return alone;
  const earlier = questionsBefore(history, language);
  if (earlier.length === 0) return alone;
  const own = new Set(terms.map(({ form }) => form));
  const context = new Map<string, Term>();
  for (const text of earlier)
    for (const term of termsOf(text, language))
      if (!own.has(term.form)) context.set(term.form, term);
  const inherited = earlier.map((text) => answerKindOf(text, language)).find((one) => one !== null);
  return {
    ...alone,
    kind: kind ?? inherited ?? null,
    context: [...context.values()],
    contextShare: link === 'replaces' ? REPLACED : KEPT,
  };
}

/**
 * Returns a search query for a follow-up question, with the words of the questions that it depends on. Returns `null` if the
 * question does not depend on earlier questions.
 *
 * @param locale BCP 47 tag of the fallback language, or `null`.
 */
export function followUpQuery(
  question: string,
  history: readonly HistoryMessage[],
  locale: string | null,
): string | null {
  const text = question.slice(0, MAX_READ);
  const before = history.findLast(({ role }) => role === 'user')?.text;
  if (before === undefined || smallTalkOf(text) !== null) return null;
  const language =
    detectLanguage(text, locale) ??
    detectLanguage(before, locale) ??
    languageOfLocale(locale) ??
    'en';
  const { terms, context } = inquiryOf(withoutSmallTalk(text), history, language);
  return context.length === 0 ? null : [...terms, ...context].map((term) => term.text).join(' ');
}

/** Returns how a question depends on the one before it, or `null` if it does not. */
function linkOf(
  question: string,
  terms: readonly Term[],
  language: Language,
): 'replaces' | 'refers' | null {
  const text = question.toLowerCase().normalize('NFC').replaceAll('’', "'").trim();
  const hasSubject = terms.some(({ isWeak }) => !isWeak);
  const words = text.split(/\s+/).length;
  if (REFERS[language].test(text) && (words <= 8 || language === 'zh' || language === 'ja'))
    return 'refers';
  if (CONTINUES[language].test(text)) return hasSubject ? 'replaces' : 'refers';
  if (!hasSubject) return 'refers';
  const isUnspaced = language === 'zh' || language === 'ja';
  return !isUnspaced && words <= MAX_FRAGMENT && words === terms.length ? 'replaces' : null;
}

/**
 * Returns earlier questions, newest first. Starts with the previous question and stops at the first question that is not a
 * follow-up.
 */
function questionsBefore(history: readonly HistoryMessage[], language: Language): string[] {
  const earlier: string[] = [];
  for (const { role, text: message } of history.toReversed()) {
    if (role !== 'user' || smallTalkOf(message) !== null) continue;
    const text = withoutSmallTalk(message.slice(0, MAX_READ));
    earlier.push(text);
    const isFollowUp = linkOf(text, termsOf(text, language), language) !== null;
    if (!isFollowUp || earlier.length === MAX_EARLIER) break;
  }
  return earlier;
}

import { tokenise } from '../../../lib/text/index.ts';
import { isStopWord, isWeakWord } from './common-words.ts';
import type { Language } from './language.ts';
import { expressionsIn, type Synonym, synonymsOf, wordsWithSynonyms } from './synonyms.ts';
import { haveCommonStart, isSeparablePrefix, stemOf, stemsOf } from './word-forms.ts';

/** A word of a question that an answer should contain. */
export interface Term {
  /** Text for a search. */
  readonly text: string;
  /** The form in which the word is compared. */
  readonly form: string;
  /** The folded word, or a run of Chinese or Japanese characters. */
  readonly word: string;
  readonly isUnspaced: boolean;
  readonly synonyms: readonly Synonym[];
  /** `true`: a general word such as `item`, whose absence says little. */
  readonly isWeak: boolean;
  /** For a number: the form of the word before it in the question, such as `version` in `version 12`. Otherwise `null`. */
  readonly numbers: string | null;
}

/** A text, prepared for comparisons with terms of one language. */
export interface TextForms {
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
  /** The text in lower case without spaces, for terms in Chinese and Japanese. */
  readonly flat: string;
}

/** Credit for a term whose word has another form in the text. */
const SIMILAR_WORD = 0.85;
const SYNONYM = 0.9;
/** Maximum number of UTF-16 code units of a question that are read, because the work grows with the number of its words. */
export const MAX_READ = 1000;
const MAX_TERMS = 32;
/** Minimum length of a part of a compound word. */
const MIN_COMPOUND_PART = 5;

/** Returns at most 32 distinct words of a question, without the words that do not belong to its subject. */
export function termsOf(question: string, language: Language): Term[] {
  const terms = new Map<string, Term>();
  const formOf = (word: string) => stemOf(word, language);
  const spaced = tokenise(question).filter(({ kind }) => kind === 'word');
  const separated = language === 'de' ? separatedVerbOf(question) : null;
  const expressions = expressionsIn(
    new Set(spaced.map(({ term }) => formOf(term))),
    language,
    formOf,
  );
  for (const [at, { term: word }] of spaced.entries()) {
    if (isStopWord(word, language) || /^\p{L}$/u.test(word)) continue;
    const form = formOf(word);
    const expression = expressions.find(({ words }) => words.some((one) => one.form === form));
    // The words of an expression are one term, so that they do not weigh more than the other words.
    if (expression !== undefined && expression.words[0]?.form !== form) continue;
    const isWeak = isWeakWord(word, language);
    // The synonyms of a weak word would decide between sentences, although the word says nothing about the subject.
    const own = isWeak ? [] : synonymsOf(form, language, formOf);
    const synonyms = [
      ...(expression?.synonyms ?? own),
      ...(word === separated?.verb
        ? [[{ text: separated.whole, form: formOf(separated.whole) }]]
        : []),
    ];
    const before = /^\p{N}/u.test(word) ? spaced[at - 1]?.term : undefined;
    const numbers = before === undefined ? null : formOf(before);
    terms.set(form, { text: word, form, word, isUnspaced: false, synonyms, isWeak, numbers });
  }
  for (const run of runsOf(question, language)) {
    const synonyms = synonymsOf(run, language, (word) => word);
    const isWeak = isWeakWord(run, language);
    const named = { text: run, form: run, word: run };
    terms.set(run, { ...named, isUnspaced: true, synonyms, isWeak, numbers: null });
  }
  return [...terms.values()].slice(0, MAX_TERMS);
}

/** Returns the verb of a German question that ends with the prefix of the verb, such as `melde` and `abmelde` for `Wie melde ich mich ab?`. */
function separatedVerbOf(question: string): { verb: string; whole: string } | null {
  const words = question.match(/\p{L}+/gu) ?? [];
  const [prefix] = tokenise(words.at(-1) ?? '');
  if (prefix === undefined || !isSeparablePrefix(prefix.term)) return null;
  const verb = words
    .filter((word) => /^\p{Ll}/u.test(word))
    .map((word) => tokenise(word)[0]?.term ?? '')
    .find((word) => !isStopWord(word, 'de') && word !== prefix.term);
  return verb === undefined ? null : { verb, whole: prefix.term + verb };
}

const RUN = /\p{sc=Han}+|[\p{sc=Katakana}ー]+/gu;
/** Matches runs in the scripts of languages without word lists: Korean, Thai, Lao, Khmer and Burmese. */
const OTHER_RUN =
  /\p{sc=Hangul}+|[\p{sc=Thai}\p{M}]+|[\p{sc=Lao}\p{M}]+|[\p{sc=Khmer}\p{M}]+|[\p{sc=Myanmar}\p{M}]+/gu;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * Returns the runs of Chinese characters and of katakana in a question, divided at common words and at words that have synonyms.
 * Hiragana is not returned, because it mostly writes endings and particles. Korean and Thai words are returned whole.
 */
function runsOf(question: string, language: Language): string[] {
  if (language !== 'zh' && language !== 'ja')
    return [RUN, OTHER_RUN]
      .flatMap((pattern) => question.match(pattern) ?? [])
      .filter((run) => UNSPACED.test(run));
  const known = wordsWithSynonyms(language, (word) => word);
  return (question.normalize('NFKC').match(RUN) ?? [])
    .flatMap((run) => divide(run, known))
    .flatMap((run) =>
      known.includes(run) ? [run] : run.split(STOP_RUNS[language]).filter((part) => part !== ''),
    );
}

const STOP_RUNS = {
  zh: /多少|多久|多长|时间|什么|时候|几|岁|吗|呢|的|是|了|你们|我们|可以|需要|怎么|如何|哪里|哪儿|哪|请问|有没有|有|在|要|能|被|把|和|或|还|都|也|就|那|这|谁|带|用|你|我|您|天内|天|点|会(?!员)|满|到|做|说|给|让|想|大约|每/u,
  ja: /何|誰|日以内|以内|日間|時間|時|日|年|分|御|方|私/u,
};

function divide(run: string, known: readonly string[]): string[] {
  const word = known.find((one) => one.length > 1 && run.includes(one));
  if (word === undefined) return [run];
  const at = run.indexOf(word);
  return [
    ...(at > 0 ? divide(run.slice(0, at), known) : []),
    word,
    ...(at + word.length < run.length ? divide(run.slice(at + word.length), known) : []),
  ];
}

export function formsOf(text: string, language: Language): TextForms {
  const words = tokenise(text)
    .filter(({ kind }) => kind === 'word')
    .map(({ term }) => term);
  return {
    words,
    stems: new Set(words.flatMap((word) => stemsOf(word, language))),
    flat: UNSPACED.test(text) ? text.normalize('NFKC').toLowerCase().replace(/\s+/g, '') : '',
  };
}

/** Returns how well a text contains a term, from 0 to 1. */
export function creditOf(term: Term, text: TextForms, language: Language): number {
  const own = term.isUnspaced ? unspacedCredit(term.word, text) : wordCredit(term, text, language);
  if (own === 1) return 1;
  const hasSynonym = term.synonyms.some((words) =>
    words.every(({ form }) => (term.isUnspaced ? text.flat.includes(form) : text.stems.has(form))),
  );
  return hasSynonym ? Math.max(own, SYNONYM) : own;
}

function wordCredit(term: Term, { words, stems }: TextForms, language: Language) {
  const { form, word, numbers } = term;
  if (stemsOf(word, language).some((stem) => stems.has(stem)))
    return numbers === null || follows(word, numbers, words, language) ? 1 : SIMILAR_WORD;
  if (/\p{N}/u.test(word)) return 0;
  return words.some(
    (other) => haveCommonStart(word, other, language) || isPartOf(form, other, language),
  )
    ? SIMILAR_WORD
    : 0;
}

/** Reports whether a number follows a word with the given form somewhere in a text. */
function follows(
  word: string,
  form: string,
  words: readonly string[],
  language: Language,
): boolean {
  return words.some(
    (other, at) => other === word && stemOf(words[at - 1] ?? '', language) === form,
  );
}

/** Reports whether one of two German words is a part of the other, as `Versand` is a part of `Versandkosten`. */
function isPartOf(form: string, other: string, language: Language): boolean {
  if (language !== 'de') return false;
  const stem = stemOf(other, language);
  return (
    (form.length >= MIN_COMPOUND_PART && other.includes(form)) ||
    (stem.length >= MIN_COMPOUND_PART && form.includes(stem))
  );
}

/**
 * Returns the share of a run's characters that match the text. A character matches if it and one of its neighbours in the run
 * also occur next to each other in the text. Katakana and single characters need an exact match.
 */
function unspacedCredit(run: string, { flat }: TextForms): number {
  if (flat === '') return 0;
  const characters = [...run];
  if (characters.length === 1 || flat.includes(run)) return flat.includes(run) ? 1 : 0;
  if (/\p{sc=Katakana}/u.test(run)) return 0;
  const isPair = (index: number) =>
    index >= 0 &&
    index + 1 < characters.length &&
    flat.includes(`${characters[index]}${characters[index + 1]}`);
  const found = characters.filter((_, index) => isPair(index - 1) || isPair(index)).length;
  return found / characters.length;
}

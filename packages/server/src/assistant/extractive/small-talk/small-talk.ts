import { tokenise } from '../../../lib/text/index.ts';
import type { Language } from '../words/language.ts';
import { ASKS_FOR_PERSON, PHRASES_OF, type SmallTalkKind } from './small-talk-words.ts';

export interface SmallTalk {
  readonly kind: SmallTalkKind;
  /** The languages that the message can be in. Never empty. */
  readonly languages: readonly Language[];
}

/** If a message matches several kinds of small talk, the reply is for the kind that comes first in this list. */
const PRIORITY: readonly SmallTalkKind[] = [
  'human',
  'identity',
  'farewell',
  'thanks',
  'greeting',
  'acknowledgement',
];
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;
const PICTOGRAPH = /[^\p{L}\p{N}\p{M}]/u;
/** Maximum length in UTF-16 code units. A longer message is a question. */
const MAX_LENGTH = 120;

type PhraseKind = SmallTalkKind | 'filler';

const LANGUAGES = Object.keys(PHRASES_OF) as Language[];
const PHRASES = new Map(
  LANGUAGES.map((language) => [language, readPhrases(PHRASES_OF[language])] as const),
);

/**
 * Returns the kind of a message that consists only of small talk, or `null`. A message that also asks something is not small
 * talk.
 */
export function smallTalkOf(message: string): SmallTalk | null {
  const text = comparable(message);
  if (text === '' || message.length > MAX_LENGTH) return null;
  const found = LANGUAGES.flatMap((language) => {
    if (ASKS_FOR_PERSON[language].test(text)) return [{ language, kind: 'human' as const }];
    const kinds = kindsIn(text, language);
    const kind = PRIORITY.find((one) => kinds?.has(one));
    return kind === undefined ? [] : [{ language, kind }];
  });
  const kind = PRIORITY.find((one) => found.some((each) => each.kind === one));
  if (kind === undefined) return null;
  return {
    kind,
    languages: found.filter((each) => each.kind === kind).map(({ language }) => language),
  };
}

/** Matches the positions at which a message is split into parts: after punctuation and line breaks. */
const PART_ENDS = /(?<=[,.!?;:،؟]\s)|(?<=[，。！？、；\n])/u;

/** Returns a question without parts that are only small talk: `Thanks! And to Germany?` becomes `And to Germany?`. */
export function withoutSmallTalk(question: string): string {
  const parts = question.split(PART_ENDS).filter((part) => part.trim() !== '');
  const asked = parts.filter((part) => smallTalkOf(part) === null);
  return asked.length === 0 ? question : asked.join('').trim();
}

/** Returns the kinds of the phrases in a text, or `null` if any part of the text is not a known phrase. */
function kindsIn(text: string, language: Language): Set<PhraseKind> | null {
  const phrases = PHRASES.get(language) ?? [];
  const kinds = new Set<PhraseKind>();
  let rest = text;
  while (rest !== '') {
    const next = phrases.find(([phrase]) => startsWith(rest, phrase));
    if (next === undefined) return null;
    kinds.add(next[1]);
    rest = rest.slice(next[0].length).trim();
  }
  return kinds;
}

function startsWith(text: string, phrase: string): boolean {
  if (!text.startsWith(phrase)) return false;
  return text.length === phrase.length || UNSPACED.test(phrase) || text[phrase.length] === ' ';
}

/** Returns the phrases of a language, longest first. */
function readPhrases(lists: Record<string, string>): (readonly [string, PhraseKind])[] {
  return Object.entries(lists)
    .flatMap(([kind, list]) =>
      list.split(';').map((phrase) => [comparable(phrase), kind as PhraseKind] as const),
    )
    .sort(([a], [b]) => b.length - a.length);
}

/** Returns the folded words of a text, separated by spaces. Text in Chinese or Japanese has no spaces. */
function comparable(text: string): string {
  if (UNSPACED.test(text))
    return text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}ー]/gu, '');
  return tokenise(text)
    .filter(({ kind, term }) => kind === 'word' && !PICTOGRAPH.test(term))
    .map(({ term }) => term)
    .join(' ');
}

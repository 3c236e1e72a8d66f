import { tokenise } from '../../lib/text/index.ts';
import { isCommonWord, LANGUAGES_BY_WORDS } from './common-words.ts';

/** The languages in which the answerer has words of its own. */
export type Language = 'en' | 'de' | 'fr' | 'es' | 'ru' | 'ar' | 'zh' | 'ja';

const LANGUAGES: readonly string[] = ['en', 'de', 'fr', 'es', 'ru', 'ar', 'zh', 'ja'];
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HAN = /\p{sc=Han}/u;
const HANGUL = /\p{sc=Hangul}/u;
const CYRILLIC = /\p{sc=Cyrillic}/u;
const ARABIC = /\p{sc=Arabic}/u;
/** Letters of Ukrainian, Belarusian, Serbian and others that Russian does not have. */
const NOT_RUSSIAN = /[іїєґўјљњћђџѓќѕ]/iu;
/** Letters of Persian, Urdu and others that Arabic does not have. */
const NOT_ARABIC = /[پچژگکیہےٹڈڑ]/u;

/**
 * The language to speak about a question: the one it is written in if its script or its common words
 * tell, else that of the locale (BCP 47), else English.
 */
export function languageOf(question: string, locale: string | null): Language {
  return ofScript(question, locale) ?? ofWords(question) ?? ofLocale(locale) ?? 'en';
}

function ofScript(text: string, locale: string | null): Language | null {
  if (KANA.test(text)) return 'ja';
  if (HANGUL.test(text)) return 'en';
  if (HAN.test(text)) return ofLocale(locale) === 'ja' ? 'ja' : 'zh';
  if (CYRILLIC.test(text)) return NOT_RUSSIAN.test(text) ? 'en' : 'ru';
  if (ARABIC.test(text)) return NOT_ARABIC.test(text) ? 'en' : 'ar';
  return null;
}

/** The language with the most common words in the text, unless several have as many. */
function ofWords(text: string): Language | null {
  const terms = tokenise(text).map(({ term }) => term);
  const counts = LANGUAGES_BY_WORDS.map((language) => ({
    language,
    count: terms.filter((term) => isCommonWord(term, language)).length,
  })).sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  return first && second && first.count > second.count ? first.language : null;
}

function ofLocale(locale: string | null): Language | null {
  const primary = locale?.split(/[-_]/)[0]?.toLowerCase() ?? '';
  return LANGUAGES.includes(primary) ? (primary as Language) : null;
}

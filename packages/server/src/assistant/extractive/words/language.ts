import { tokenise } from '../../../lib/text/index.ts';
import { isCommonWord, LANGUAGES_BY_WORDS } from './common-words.ts';

export type Language = 'en' | 'de' | 'fr' | 'es' | 'ru' | 'ar' | 'zh' | 'ja';

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr', 'es', 'ru', 'ar', 'zh', 'ja'];
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HAN = /\p{sc=Han}/u;
const HANGUL = /\p{sc=Hangul}/u;
const CYRILLIC = /\p{sc=Cyrillic}/u;
const ARABIC = /\p{sc=Arabic}/u;
/** Letters of Ukrainian, Belarusian, Serbian and other languages that do not occur in Russian. */
const NOT_RUSSIAN = /[іїєґўјљњћђџѓќѕ]/iu;
/** Letters of Persian, Urdu and other languages that do not occur in Arabic. */
const NOT_ARABIC = /[پچژگکیہےٹڈڑ]/u;

/**
 * Returns the language of a text, detected by its script or its common words, or `null` if it cannot be detected.
 *
 * @param locale decides between Chinese and Japanese if all characters occur in both.
 */
export function detectLanguage(text: string, locale: string | null = null): Language | null {
  return ofScript(text, locale) ?? ofWords(text);
}

/** Returns the language of a locale (a BCP 47 tag), or `null` if the answerer has no phrases in the language. */
export function languageOfLocale(locale: string | null): Language | null {
  const primary = locale?.split(/[-_]/)[0]?.toLowerCase() ?? '';
  return LANGUAGES.find((language) => language === primary) ?? null;
}

function ofScript(text: string, locale: string | null): Language | null {
  if (KANA.test(text)) return 'ja';
  if (HANGUL.test(text)) return 'en';
  if (HAN.test(text)) return languageOfLocale(locale) === 'ja' ? 'ja' : 'zh';
  if (CYRILLIC.test(text)) return NOT_RUSSIAN.test(text) ? 'en' : 'ru';
  if (ARABIC.test(text)) return NOT_ARABIC.test(text) ? 'en' : 'ar';
  return null;
}

/** Returns the language whose common words occur most often, or `null` if there is a tie. */
function ofWords(text: string): Language | null {
  const terms = tokenise(text).map(({ term }) => term);
  const counts = LANGUAGES_BY_WORDS.map((language) => ({
    language,
    count: terms.filter((term) => isCommonWord(term, language)).length,
  })).sort((a, b) => b.count - a.count);
  const [first, second] = counts;
  return first && second && first.count > second.count ? first.language : null;
}

import { en } from './en.ts';
import type { Strings } from './strings.ts';

/** The script contains the English strings. The other translations are fetched when needed. */
const OTHERS = {
  ar: () => import('./ar.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  ja: () => import('./ja.ts'),
  ru: () => import('./ru.ts'),
  zh: () => import('./zh.ts'),
} satisfies Record<string, () => Promise<{ strings: Strings }>>;

/** A language with a translation: BCP 47, without script or region. */
export type Language = 'en' | keyof typeof OTHERS;

/**
 * Returns the first language that has a translation, or English.
 *
 * @param preferred BCP 47 tags in order of preference. Accepts `de_AT` for `de-AT` and skips invalid tags.
 */
export function pickLanguage(preferred: readonly (string | null)[]): Language {
  for (const tag of preferred) {
    const language = languageOf(tag ?? '');
    if (isTranslated(language)) return language;
  }
  return 'en';
}

export interface LoadedStrings {
  readonly language: Language;
  readonly strings: Strings;
}

const ENGLISH: LoadedStrings = { language: 'en', strings: en };

/** Loads a translation. Falls back to English if the translation cannot be fetched. */
export async function loadStrings(language: Language): Promise<LoadedStrings> {
  if (language === 'en') return ENGLISH;
  try {
    const { strings } = await OTHERS[language]();
    return { language, strings };
  } catch {
    return ENGLISH;
  }
}

export function direction(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

function languageOf(tag: string): string {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-')).language;
  } catch {
    return '';
  }
}

function isTranslated(language: string): language is Language {
  return language === 'en' || Object.hasOwn(OTHERS, language);
}

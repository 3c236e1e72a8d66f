import { en } from './en.ts';
import type { Strings } from './strings.ts';

/** The script contains the English strings. The other translations are fetched when needed. */
const OTHERS = {
  ar: () => import('./ar.ts').then(({ ar }) => ar),
  de: () => import('./de.ts').then(({ de }) => de),
  es: () => import('./es.ts').then(({ es }) => es),
  fr: () => import('./fr.ts').then(({ fr }) => fr),
  ja: () => import('./ja.ts').then(({ ja }) => ja),
  ru: () => import('./ru.ts').then(({ ru }) => ru),
  zh: () => import('./zh.ts').then(({ zh }) => zh),
} satisfies Record<string, () => Promise<Strings>>;

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
    return { language, strings: await OTHERS[language]() };
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

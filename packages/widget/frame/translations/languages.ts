import { en } from './en.ts';
import type { Words } from './strings.ts';

/** English comes with the script; the others when they are wanted. */
const OTHERS = {
  ar: () => import('./ar.ts').then(({ ar }) => ar),
  de: () => import('./de.ts').then(({ de }) => de),
  es: () => import('./es.ts').then(({ es }) => es),
  fr: () => import('./fr.ts').then(({ fr }) => fr),
  ja: () => import('./ja.ts').then(({ ja }) => ja),
  ru: () => import('./ru.ts').then(({ ru }) => ru),
  zh: () => import('./zh.ts').then(({ zh }) => zh),
} satisfies Record<string, () => Promise<Words>>;

/** A language that the frame speaks: BCP 47, without script or region. */
export type Language = 'en' | keyof typeof OTHERS;

/**
 * The first of some languages that the frame speaks, else English.
 * @param wanted BCP 47, the most wanted first; what is none (`de_AT` is taken for `de-AT`) is passed over.
 */
export function pickLanguage(wanted: readonly (string | null)[]): Language {
  for (const tag of wanted) {
    const language = languageOf(tag ?? '');
    if (isSpoken(language)) return language;
  }
  return 'en';
}

export interface Spoken {
  readonly language: Language;
  readonly words: Words;
}

export const ENGLISH: Spoken = { language: 'en', words: en };

/** The words of a language; English when they cannot be fetched. */
export async function loadWords(language: Language): Promise<Spoken> {
  if (language === 'en') return ENGLISH;
  try {
    return { language, words: await OTHERS[language]() };
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

function isSpoken(language: string): language is Language {
  return language === 'en' || Object.hasOwn(OTHERS, language);
}

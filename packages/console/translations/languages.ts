import { setTranslations, type Translations } from './translate.ts';

/** The script contains the English texts. The other translations are fetched when needed. */
const OTHERS = {
  ar: () => import('./ar.ts').then(({ ar }) => ar),
  de: () => import('./de.ts').then(({ de }) => de),
  es: () => import('./es.ts').then(({ es }) => es),
  fr: () => import('./fr.ts').then(({ fr }) => fr),
  ja: () => import('./ja.ts').then(({ ja }) => ja),
  ru: () => import('./ru.ts').then(({ ru }) => ru),
  zh: () => import('./zh.ts').then(({ zh }) => zh),
} satisfies Record<string, () => Promise<Translations>>;

/** A language of the console: BCP 47, without script or region. */
export type Language = 'en' | keyof typeof OTHERS;

/** The languages of the console, each with its own name. */
export const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['ar', 'العربية'],
  ['de', 'Deutsch'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['ja', '日本語'],
  ['ru', 'Русский'],
  ['zh', '中文'],
];

/** The key of the chosen language in the local storage. */
const CHOICE = 'gatehouse-console-language';

/** The preferred BCP 47 tags: the choice of the user, then the languages of the browser. */
function preferredTags(): readonly string[] {
  try {
    return [localStorage.getItem(CHOICE) ?? '', ...navigator.languages];
  } catch {
    return navigator.languages;
  }
}

/**
 * Returns the first language that has a translation, or English, and the tag for formats. The tag contains the region if the browser prefers one.
 *
 * @param preferred BCP 47 tags in order of preference. Invalid tags are skipped.
 */
export function pickLanguage(preferred: readonly string[]): { language: Language; tag: string } {
  const known = preferred.map((tag) => languageOf(tag));
  const language = known.find((one) => one !== null) ?? 'en';
  const tag = preferred.find((one, index) => known[index] === language && one !== language);
  return { language, tag: tag ?? language };
}

/** Loads the texts of the user's language, and sets language and direction of the page. Falls back to English. */
export async function startTranslations(): Promise<void> {
  const { language, tag } = pickLanguage(preferredTags());
  if (language === 'en') return setTranslations(tag, {});
  try {
    setTranslations(tag, await OTHERS[language]());
  } catch {
    return;
  }
  document.documentElement.lang = language;
  document.documentElement.dir = direction(language);
}

/** Stores the choice of the user and shows the page in this language. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(CHOICE, language);
  location.reload();
}

/** Loads the texts of a language. English needs none. */
export async function loadTranslations(language: Language): Promise<Translations> {
  return language === 'en' ? {} : OTHERS[language]();
}

export function direction(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

function languageOf(tag: string): Language | null {
  let language = '';
  try {
    ({ language } = new Intl.Locale(tag));
  } catch {
    return null;
  }
  return LANGUAGES.find(([one]) => one === language)?.[0] ?? null;
}

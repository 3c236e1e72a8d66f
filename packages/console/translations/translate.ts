import type { ComponentChildren } from 'preact';

/** A translated text, or its plural forms by the categories of `Intl.PluralRules`. */
export type Translation = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** The translations of one language. The keys are the English texts of the pages. */
export type Translations = Readonly<Record<string, Translation>>;

type Values = Readonly<Record<string, string | number>>;

let language = 'en';
let translations: Translations = {};
/** Formats of the language. Creating one takes as long as rendering several rows of a table. */
let numbers: Intl.NumberFormat | undefined;
let pluralRules: Intl.PluralRules | undefined;

/** Sets the language of all texts. Call it before the first page is rendered. */
export function setTranslations(tag: string, texts: Translations): void {
  language = tag;
  translations = texts;
  numbers = undefined;
  pluralRules = undefined;
}

/** The BCP 47 tag for `Intl` formats. */
export function languageTag(): string {
  return language;
}

/**
 * Translates a text. The text is English and must be a literal, because the tests collect the literals.
 *
 * @param text may contain `{name}` for a value. Numbers are formatted.
 * @example t('Link of {person}', { person: link.sub })
 */
export function t(text: string, values: Values = {}): string {
  const translation = translations[text] ?? text;
  return interpolate(typeof translation === 'string' ? translation : text, formatted(values));
}

/**
 * Translates a text with a number.
 *
 * @param one the English text for 1.
 * @param other the English text for all other numbers. It is the key of the translation.
 * @example plural(3, '{count} document', '{count} documents')
 */
export function plural(count: number, one: string, other: string, values: Values = {}): string {
  pluralRules ??= new Intl.PluralRules(language);
  const form = pluralRules.select(count);
  const forms = translations[other] ?? { one, other };
  const text = typeof forms === 'string' ? forms : (forms[form] ?? forms.other ?? other);
  return interpolate(text, formatted({ count, ...values }));
}

/**
 * Translates a text that contains elements.
 *
 * @example rich('Create links with {operation}.', { operation: <code>POST /assistant-link</code> })
 */
export function rich(
  text: string,
  elements: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren {
  const parts = t(text).split(/\{(\w+)\}/);
  return parts.map((part, index) => (index % 2 === 0 ? part : elements[part]));
}

/** Formats a number, for elements of `rich`. The other functions format their numbers themselves. */
export function formatNumber(value: number): string {
  numbers ??= new Intl.NumberFormat(language);
  return numbers.format(value);
}

/** Replaces each `{name}` in a text with its value. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

function formatted(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? formatNumber(value) : value,
    ]),
  );
}

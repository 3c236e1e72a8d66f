import type { Language } from './language.ts';

/** Endings that are removed, longest first within a language. Words are compared without accents (see `tokenise`). */
const ENDINGS: Partial<Record<Language, string>> = {
  en: 'ings ing edly ed es s e',
  de: 'ungen test tes ten tet ung bar ern est em en er es et te st e n s t',
  fr: 'issements issement ements ement ations ation antes ante ees ent ant ez er ee es e s r',
  es: 'aciones acion mente iendo ando aron ados adas idos idas ado ada ido ida amos emos imos ar er ir an en as os es a o e s',
  ru: 'иями ями ами ией ого его ому ему ыми ими ает яет еет ают яют ать ять ить еть ешь ишь ите ала или ила ый ий ой ая яя ое ее ые ие ов ев ей ам ям ах ях ом ем ых их ут ют ат ят ет ит ию ия ии ть а я о е ы и у ю ь й',
  ar: 'تها ات ون ين ان ها هم كم نا يه ه ي ا',
};
const SORTED = new Map(
  Object.entries(ENDINGS).map(([language, endings]) => [
    language,
    endings.split(' ').sort((a, b) => b.length - a.length),
  ]),
);
/** The Arabic article, with the conjunctions and prepositions that are written together with it. */
const ARABIC_PREFIX = /^(?:[وفبكل]?ال|لل)/u;
const MIN_STEM: Partial<Record<Language, number>> = { de: 4, ru: 4 };

/** Conjunctions and prepositions that Arabic writes together with the next word. */
const ARABIC_PARTICLE = /^[وفبكل](?=.{3})/u;

/** Prefixes that German separates from a verb. */
const SEPARABLE = 'ab an auf aus bei ein her hin los mit nach um vor weg weiter zu zuruck zusammen';
/** A participle or an infinitive with `zu`, such as `eingelost`, `abzumelden` and `gekauft`. */
const GERMAN_PARTICIPLE = new RegExp(
  `^(?:(${SEPARABLE.replaceAll(' ', '|')})(?:ge|zu)|ge)(\\p{L}{3,}(?:t|en))$`,
  'u',
);
const IS_SEPARABLE = new Set(SEPARABLE.split(' '));

/** Reports whether a word can be the separated prefix of a German verb, as `ab` in `Wie melde ich mich ab?`. */
export function isSeparablePrefix(word: string): boolean {
  return IS_SEPARABLE.has(word);
}

const cache = new Map<string, string>();
const MAX_CACHED = 20_000;

/**
 * Returns the part of a word that its forms share. The rules are approximate, so a stem is only good for comparison with other
 * stems of the same language.
 */
export function stemOf(word: string, language: Language): string {
  const key = `${language} ${word}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const stem = computeStem(word, language);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, stem);
  return stem;
}

/** Returns the stems that a word can have: in Arabic, with and without a particle; in German, also that of the verb of a participle. */
export function stemsOf(word: string, language: Language): string[] {
  const stem = stemOf(word, language);
  if (language === 'ar' && ARABIC_PARTICLE.test(word))
    return [stem, stemOf(word.slice(1), language)];
  if (language !== 'de') return [stem];
  const [, prefix = '', rest] = GERMAN_PARTICIPLE.exec(word) ?? [];
  return rest === undefined ? [stem] : [stem, stemOf(prefix + rest, language)];
}

function computeStem(word: string, language: Language): string {
  if (/\p{N}/u.test(word)) return word;
  const bare = language === 'ar' ? word.replace(ARABIC_PREFIX, '') : word;
  const start = language === 'ru' ? bare.replace(/с[яь]$/u, '') : bare;
  const least = MIN_STEM[language] ?? 3;
  const ending = SORTED.get(language)?.find(
    (one) => start.endsWith(one) && start.length - one.length >= least,
  );
  const cut = ending === undefined ? start : start.slice(0, -ending.length);
  if (language === 'en') return englishStem(cut, ending);
  return language === 'de' && cut.length > least ? cut.replace(/s$/, '') : cut;
}

/** Undoes the changes of spelling before English endings: `cancelled`, `batteries`, `charges`. */
function englishStem(cut: string, ending: string | undefined): string {
  if (cut.endsWith('ss') || ending === undefined) return cut.replace(/y$/, 'i');
  if (ending.startsWith('ing') || ending.endsWith('ed')) cut = cut.replace(/(.)\1$/, '$1');
  return cut.replace(/(?<=..)y$/, 'i');
}

const MIN_SHARED = 5;
const MIN_SHARED_PART = 0.6;
const MAX_REST = 4;

/** Reports whether two words probably are forms of one word, because they differ only after a long common start. */
export function haveCommonStart(one: string, other: string, language: Language): boolean {
  const longest = Math.max(one.length, other.length);
  let shared = 0;
  while (shared < longest && one[shared] === other[shared]) shared++;
  const least = language === 'en' ? MIN_SHARED + 1 : MIN_SHARED;
  return shared >= least && shared >= MIN_SHARED_PART * longest && longest - shared <= MAX_REST;
}

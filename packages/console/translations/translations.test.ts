import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectTexts } from './collect-texts.suite.ts';
import { direction, LANGUAGES, loadTranslations, pickLanguage } from './languages.ts';
import type { Translation } from './translate.ts';

/** Scripts that the texts of a language must use. Default: Latin. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /\p{sc=Arab}/u,
  ja: /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u,
  ru: /\p{sc=Cyrl}/u,
  zh: /\p{sc=Han}/u,
};
/** The word for an assistant in each language. */
const ASSISTANT: Readonly<Record<string, RegExp>> = {
  ar: /مساعد/u,
  de: /assistent/i,
  es: /asistente/i,
  fr: /assistant/i,
  ja: /アシスタント/u,
  ru: /ассистент/iu,
  zh: /助手/u,
};
/** Names that other scripts do not translate. */
const LATIN = /^(ID|API|URL|JSON|TypeScript|curl|HTTP|OK)$/;

const { keys, problems } = collectTexts();

/** The plural categories of the numbers that the console counts. */
function categoriesOf(language: string): ReadonlySet<Intl.LDMLPluralRule> {
  const rules = new Intl.PluralRules(language);
  return new Set(Array.from({ length: 200 }, (_, count) => rules.select(count)));
}

/** The texts of a translation, by plural category. A translation without plural forms has only the category `other`. */
function formsOf(translation: Translation | undefined): [string, string][] {
  if (translation === undefined) return [];
  return typeof translation === 'string' ? [['other', translation]] : Object.entries(translation);
}

function placeholdersOf(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort();
}

test('every text is a literal of t, plural or rich', () => {
  assert.deepEqual(problems, []);
});

for (const [language] of LANGUAGES.filter(([one]) => one !== 'en'))
  describe(`the ${language} translation`, async () => {
    const translations = await loadTranslations(language);

    test('has every text of the console', () => {
      const missing = [...keys.keys()].filter((key) => translations[key] === undefined);
      assert.deepEqual(missing, [], `add to translations/${language}.ts: ${missing.join(' | ')}`);
    });

    test('has no text that the console does not show', () => {
      const stale = Object.keys(translations).filter((key) => !keys.has(key));
      assert.deepEqual(stale, [], `remove from translations/${language}.ts: ${stale.join(' | ')}`);
    });

    test('has the same placeholders as English', () => {
      for (const key of keys.keys())
        for (const [form, text] of formsOf(translations[key])) {
          const isShort = ['zero', 'one', 'two'].includes(form) && !text.includes('{count}');
          const expected = placeholdersOf(key).filter((one) => !isShort || one !== '{count}');
          assert.deepEqual(placeholdersOf(text), expected, `${key}, ${form}`);
        }
    });

    test('has the plural forms of the language', () => {
      const categories = [...categoriesOf(language)];
      for (const [key, isPlural] of keys) {
        const translation = translations[key];
        if (translation === undefined) continue;
        const forms = formsOf(translation).map(([form]) => form);
        if (!isPlural) assert.deepEqual(forms, ['other'], key);
        else if (typeof translation === 'string') assert.equal(categories.length, 1, key);
        else
          for (const category of categories)
            assert.ok(forms.includes(category), `${key}, ${category}`);
      }
    });

    test('has no empty texts, and uses the script of the language', () => {
      for (const [key, translation] of Object.entries(translations))
        for (const [, text] of formsOf(translation)) {
          assert.equal(text, text.trim());
          assert.notEqual(text, '', key);
          if (!LATIN.test(key)) assert.match(text, SCRIPTS[language] ?? /\p{sc=Latn}/u, key);
        }
    });
  });

describe('the word for an assistant', () => {
  test('is never "bot", which is a name in the API only', () => {
    const texts = [...keys.keys()].filter((key) => /\bbots?\b/i.test(key));
    assert.deepEqual(texts, []);
  });

  for (const [language, word] of Object.entries(ASSISTANT))
    test(`is the same in every ${language} text`, async () => {
      for (const [key, translation] of Object.entries(await loadTranslations(language)))
        for (const [, text] of formsOf(translation))
          if (/\bassistants?\b/i.test(key)) assert.match(text, word, key);
    });
});

test('French uses no-break spaces before punctuation and inside quotation marks', async () => {
  for (const [key, translation] of Object.entries(await loadTranslations('fr')))
    for (const [, text] of formsOf(translation)) {
      const prose = text.replaceAll('https://', '');
      assert.doesNotMatch(prose, /[^\u00a0\u202f][:;?!»]/, key);
      assert.doesNotMatch(prose, /«[^\u00a0]|'/, key);
    }
});

test('picks the first preferred language with a translation, and keeps the region for formats', () => {
  assert.deepEqual(pickLanguage(['', 'de-AT', 'fr']), { language: 'de', tag: 'de-AT' });
  assert.deepEqual(pickLanguage(['ar', 'de', 'ar-EG']), { language: 'ar', tag: 'ar-EG' });
  assert.deepEqual(pickLanguage(['pt-BR', 'zh-Hant-TW']), { language: 'zh', tag: 'zh-Hant-TW' });
  assert.deepEqual(pickLanguage(['not a tag', '__proto__', 'x']), { language: 'en', tag: 'en' });
  assert.deepEqual(pickLanguage([]), { language: 'en', tag: 'en' });
});

test('only Arabic is written from right to left', () => {
  const rightToLeft = LANGUAGES.filter(([language]) => direction(language) === 'rtl');
  assert.deepEqual(rightToLeft, [['ar', 'العربية']]);
});

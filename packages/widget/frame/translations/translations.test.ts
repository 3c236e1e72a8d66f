import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { en } from './en.ts';
import { direction, type Language, loadStrings, pickLanguage } from './languages.ts';
import { interpolate, type Strings } from './strings.ts';

const LANGUAGES: readonly Language[] = ['ar', 'de', 'es', 'fr', 'ja', 'ru', 'zh'];
/** Strings that have the same wording in English. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  de: ['code'],
  fr: ['assistant', 'conversation', 'sources', 'code'],
};
/** Scripts that the strings of a language must use. Default: Latin. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /\p{sc=Arab}/u,
  ja: /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u,
  ru: /\p{sc=Cyrl}/u,
  zh: /\p{sc=Han}/u,
};

function entries({ failures, ...strings }: Strings): [string, string][] {
  return [
    ...Object.entries(strings),
    ...Object.entries(failures).map(([name, text]): [string, string] => [`failures.${name}`, text]),
  ];
}

function placeholdersOf(text: string): string[] {
  return (text.match(/\{\w*\}/g) ?? []).sort();
}

test('loads every translation file', async () => {
  const files = readdirSync(import.meta.dirname).flatMap(
    (file) => /^([a-z]{2})\.ts$/.exec(file)?.[1] ?? [],
  );
  assert.deepEqual(files.sort(), [...LANGUAGES, 'en'].sort());
  for (const language of LANGUAGES) assert.equal((await loadStrings(language)).language, language);
  assert.equal((await loadStrings('en')).strings, en);
});

for (const language of LANGUAGES)
  describe(`the ${language} translation`, async () => {
    const strings = new Map(entries((await loadStrings(language)).strings));

    test('has the same keys as English', () => {
      assert.deepEqual(
        [...strings.keys()].sort(),
        entries(en)
          .map(([name]) => name)
          .sort(),
      );
    });

    test('has the same placeholders as English', () => {
      for (const [name, text] of entries(en))
        assert.deepEqual(placeholdersOf(strings.get(name) ?? ''), placeholdersOf(text), name);
    });

    test('has no empty or untranslated strings', () => {
      for (const [name, text] of entries(en)) {
        const own = strings.get(name) ?? '';
        assert.equal(own, own.trim());
        assert.notEqual(own, '', name);
        if (!SHARED[language]?.includes(name)) assert.notEqual(own, text, name);
        assert.match(own, SCRIPTS[language] ?? /\p{sc=Latn}/u, name);
      }
    });

    test('ends a string with punctuation if and only if the English string does', () => {
      for (const [name, text] of entries(en))
        assert.equal(/[.?。？؟)）]$/.test(strings.get(name) ?? ''), /[.?)]$/.test(text), name);
    });
  });

test('French uses no-break spaces before punctuation and inside quotation marks', async () => {
  for (const [name, text] of entries((await loadStrings('fr')).strings)) {
    assert.doesNotMatch(text, /[^\u00a0\u202f][:;?!»]/, name);
    assert.doesNotMatch(text, /«[^\u00a0]|'/, name);
  }
});

test('picks the first preferred language with a translation, ignoring script, region and extensions', () => {
  assert.equal(pickLanguage(['de-AT', 'fr']), 'de');
  assert.equal(pickLanguage([null, 'pt-BR', 'zh-Hant-TW', 'de']), 'zh');
  assert.equal(pickLanguage(['EN-us', 'de']), 'en');
  assert.equal(pickLanguage(['ar-EG-u-nu-latn']), 'ar');
  assert.equal(pickLanguage(['ja_JP']), 'ja');
});

test('skips unknown and malformed tags and falls back to English', () => {
  for (const tag of [
    '',
    ' ',
    'x',
    '-',
    'de--AT',
    'constructor',
    '__proto__',
    '🇩🇪',
    'tlh',
    'C',
    'a'.repeat(9_999),
  ])
    assert.equal(pickLanguage([tag]), 'en', tag);
  assert.equal(pickLanguage(['not a tag', 'ru']), 'ru');
  assert.equal(pickLanguage([]), 'en');
});

test('only Arabic is written from right to left', () => {
  assert.deepEqual(
    (['en', ...LANGUAGES] as const).filter((language) => direction(language) === 'rtl'),
    ['ar'],
  );
});

test('interpolate inserts values literally and leaves placeholders without a value unchanged', () => {
  assert.equal(interpolate('{a} and {b}', { a: '{b}' }), '{b} and {b}');
  assert.equal(interpolate('{name}', { name: '$&' }), '$&');
});

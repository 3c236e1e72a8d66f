import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { en } from './en.ts';
import { direction, type Language, loadStrings, pickLanguage } from './languages.ts';
import { interpolate, type Strings } from './strings.ts';

const LANGUAGES: readonly Language[] = ['ar', 'de', 'es', 'fr', 'ja', 'ru', 'zh'];
/** What is the same word in both languages. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  fr: ['assistant', 'conversation', 'sources'],
};
/** What a text of the language has to have in it, unless it is made of places alone. */
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

function placesOf(text: string): string[] {
  return (text.match(/\{\w*\}/g) ?? []).sort();
}

test('each file of words is a language that can be loaded', async () => {
  const files = readdirSync(import.meta.dirname).flatMap(
    (file) => /^([a-z]{2})\.ts$/.exec(file)?.[1] ?? [],
  );
  assert.deepEqual(files.sort(), [...LANGUAGES, 'en'].sort());
  for (const language of LANGUAGES) assert.equal((await loadStrings(language)).language, language);
  assert.equal((await loadStrings('en')).strings, en);
});

for (const language of LANGUAGES)
  describe(`the words of ${language}`, async () => {
    const strings = new Map(entries((await loadStrings(language)).strings));

    test('are those of English, no more and no fewer', () => {
      assert.deepEqual(
        [...strings.keys()].sort(),
        entries(en)
          .map(([name]) => name)
          .sort(),
      );
    });

    test('have the places of English, each as often', () => {
      for (const [name, text] of entries(en))
        assert.deepEqual(placesOf(strings.get(name) ?? ''), placesOf(text), name);
    });

    test('are none of them empty, or still English', () => {
      for (const [name, text] of entries(en)) {
        const own = strings.get(name) ?? '';
        assert.equal(own, own.trim());
        assert.notEqual(own, '', name);
        if (!SHARED[language]?.includes(name)) assert.notEqual(own, text, name);
        assert.match(own, SCRIPTS[language] ?? /\p{sc=Latn}/u, name);
      }
    });

    test('end as sentences where English does', () => {
      for (const [name, text] of entries(en))
        assert.equal(/[.?。？؟)）]$/.test(strings.get(name) ?? ''), /[.?)]$/.test(text), name);
    });
  });

test('French has no-break spaces before its marks, and in its quotes', async () => {
  for (const [name, text] of entries((await loadStrings('fr')).strings)) {
    assert.doesNotMatch(text, /[^\u00a0\u202f][:;?!»]/, name);
    assert.doesNotMatch(text, /«[^\u00a0]|'/, name);
  }
});

test('the first language that is spoken is picked, whatever else the tag says', () => {
  assert.equal(pickLanguage(['de-AT', 'fr']), 'de');
  assert.equal(pickLanguage([null, 'pt-BR', 'zh-Hant-TW', 'de']), 'zh');
  assert.equal(pickLanguage(['EN-us', 'de']), 'en');
  assert.equal(pickLanguage(['ar-EG-u-nu-latn']), 'ar');
  assert.equal(pickLanguage(['ja_JP']), 'ja');
});

test('an unknown or malformed tag is passed over, and English is left', () => {
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

test('Arabic runs from right to left, the others do not', () => {
  assert.deepEqual(
    (['en', ...LANGUAGES] as const).filter((language) => direction(language) === 'rtl'),
    ['ar'],
  );
});

test('a place is filled with the value as it is, and one without a value stays', () => {
  assert.equal(interpolate('{a} and {b}', { a: '{b}' }), '{b} and {b}');
  assert.equal(interpolate('{name}', { name: '$&' }), '$&');
});

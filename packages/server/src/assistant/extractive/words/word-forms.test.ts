import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Language } from './language.ts';
import { haveCommonStart, stemOf, stemsOf } from './word-forms.ts';

test('returns the same stem for forms of a word', () => {
  const forms: [Language, string, string][] = [
    ['en', 'batteries', 'battery'],
    ['en', 'cancelled', 'cancel'],
    ['en', 'charging', 'charge'],
    ['de', 'preise', 'preis'],
    ['fr', 'gratuites', 'gratuite'],
    ['es', 'garantias', 'garantia'],
    ['ru', 'велосипеда', 'велосипед'],
    ['ar', 'والبطاريه', 'بطاريه'],
  ];
  for (const [language, one, other] of forms)
    assert.equal(stemOf(one, language), stemOf(other, language), one);
});

test('does not change words with digits', () => {
  assert.equal(stemOf('lamp12s', 'en'), 'lamp12s');
});

test('returns an Arabic word with and without its particle', () => {
  assert.ok(stemsOf('لارجاع', 'ar').includes(stemOf('ارجاع', 'ar')));
});

test('compares the starts of long words only', () => {
  assert.ok(haveCommonStart('доставка', 'доставляем', 'ru'));
  assert.ok(!haveCommonStart('lamp', 'lampshade', 'en'));
  assert.ok(!haveCommonStart('company', 'compare', 'en'));
});

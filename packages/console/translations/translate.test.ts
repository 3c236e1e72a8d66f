import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { plural, rich, setTranslations, t } from './translate.ts';

afterEach(() => setTranslations('en', {}));

test('shows the English text if there is no translation', () => {
  assert.equal(t('Link of {person}', { person: 'ada' }), 'Link of ada');
  assert.equal(plural(1, '{count} document', '{count} documents'), '1 document');
  assert.equal(plural(1_200, '{count} document', '{count} documents'), '1,200 documents');
});

test('translates a text and formats its numbers', () => {
  setTranslations('de', { '{count} of {all}': '{count} von {all}' });
  assert.equal(t('{count} of {all}', { count: 1_000, all: 2_000 }), '1.000 von 2.000');
});

test('chooses the plural form of the language', () => {
  setTranslations('ru', {
    '{count} documents': {
      one: '{count} документ',
      few: '{count} документа',
      many: '{count} документов',
    },
  });
  assert.equal(plural(21, '{count} document', '{count} documents'), '21 документ');
  assert.equal(plural(3, '{count} document', '{count} documents'), '3 документа');
  assert.equal(plural(5, '{count} document', '{count} documents'), '5 документов');
});

test('does not replace placeholders inside values', () => {
  assert.equal(t('{a} and {b}', { a: '{b}', b: '$&' }), '{b} and $&');
});

test('inserts elements at the place that the translation chooses', () => {
  setTranslations('de', { 'Use {method} first.': 'Zuerst {method} verwenden.' });
  assert.deepEqual(rich('Use {method} first.', { method: 7 }), ['Zuerst ', 7, ' verwenden.']);
});

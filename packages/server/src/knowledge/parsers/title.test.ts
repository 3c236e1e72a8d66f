import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTitleProperty, readTitleText } from './title.ts';

describe('the text of a title', () => {
  test('is one line without control characters and characters that change the direction of text', () => {
    assert.equal(readTitleText(' A\u0007\n\t b\u202E \u2066c\u200F '), 'A b c');
    assert.equal(readTitleText('Cafe\u0301'), 'Café');
  });

  test('is cut after 500 characters, never inside a character', () => {
    assert.equal(readTitleText('😀'.repeat(501)), '😀'.repeat(500));
    assert.equal(readTitleText('a'.repeat(5_000_000))?.length, 500);
    assert.equal(readTitleText('a\ud83d'), 'a\ufffd');
  });

  test('is null without a visible character', () => {
    for (const text of ['', ' \n', '\u200B\u2060', '\u202E'])
      assert.equal(readTitleText(text), null);
  });
});

describe('the title property of a PDF or Word file', () => {
  test('is used if a person may have written it', () => {
    for (const title of [
      'Annual report 2026',
      'Untitled hours: a memoir',
      'Document retention policy',
      'Using Node.js',
      'Version 1.5',
    ])
      assert.equal(readTitleProperty(title), title);
  });

  test('is ignored if it is a file name or a placeholder of a program', () => {
    for (const title of [
      'Microsoft Word - foo.doc',
      'Microsoft PowerPoint - Plan',
      'untitled',
      'Untitled-1',
      'Document1',
      'Untitled document (2)',
      'PowerPoint Presentation',
      'report_final.indd',
      'Final report v2.docx',
      'index.html',
      ' ',
    ])
      assert.equal(readTitleProperty(title), null, title);
  });
});

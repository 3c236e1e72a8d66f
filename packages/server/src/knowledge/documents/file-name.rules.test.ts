import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileNameProblem } from './file-name.rules.ts';

const shown = (name: string) =>
  JSON.stringify(name).replace(/[^ -~]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);

test('file names in any script are valid, with the joiners and selectors that the script needs', () => {
  for (const name of [
    'report.pdf',
    'Größe 100 % (2).docx',
    'Cafe\u0301.md',
    '契約書.pdf',
    '葛\u{E0100}飾区.txt',
    'عقد.pdf',
    'می\u200Cخواهم.txt',
    'PDF\u200Cها.txt',
    'क्\u200Dष.txt',
    'ශ්\u200Dරී.txt',
    'ᠬᠠᠭᠠᠨ\u180E\u1820.txt',
    '❤\uFE0F.txt',
    '☎\uFE0E.txt',
    '1\uFE0F⃣ first.txt',
    '👩\u200D👧.txt',
    '👋🏽 hello.txt',
    '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.txt',
  ])
    assert.equal(fileNameProblem(name), null, shown(name));
});

test('a file name that reverses the text direction is invalid', () => {
  for (const mark of ['\u061C', '\u200E', '\u200F', '\u202A', '\u202E', '\u2066', '\u2069'])
    assert.match(fileNameProblem(`a${mark}txt.exe`) ?? '', /^fileName: .*direction/, shown(mark));
});

test('a file name with an invisible character is invalid', () => {
  for (const mark of [
    '\u00AD',
    '\u034F',
    '\u115F',
    '\u17B4',
    '\u180E',
    '\u200B',
    '\u200C',
    '\u200D',
    '\u2060',
    '\u2064',
    '\u206A',
    '\u3164',
    '\uFE00',
    '\uFE0F',
    '\uFEFF',
    '\uFFA0',
    '\u{1D173}',
    '\u{E0041}',
    '\u{E007F}',
    '\u{E0100}',
  ])
    for (const name of [`${mark}salary.pdf`, `sal${mark}ary.pdf`, `salary.pdf${mark}`])
      assert.match(fileNameProblem(name) ?? '', /^fileName: .*invisible/, shown(name));
});

test('a file name with more than 255 characters is invalid, and a name of several megabytes is rejected quickly', () => {
  assert.equal(fileNameProblem('😀'.repeat(255)), null);
  assert.match(fileNameProblem('😀'.repeat(256)) ?? '', /at most 255/);
  assert.match(fileNameProblem('a'.repeat(25_000_000)) ?? '', /at most 255/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsvCell, toCsvRow } from './csv.ts';

test('a cell that a spreadsheet would evaluate starts with an apostrophe', () => {
  for (const first of ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠'])
    assert.equal(toCsvCell(`${first}1`), `'${first}1`);
  assert.equal(toCsvCell('\r1'), '"\'\r1"');
  assert.equal(toCsvCell('=HYPERLINK("x","y")'), '"\'=HYPERLINK(""x"",""y"")"');
  for (const plain of ['', '1=1', ' =1', 'a-b', "'=1"]) assert.equal(toCsvCell(plain), plain);
});

test('text after a semicolon, tab or line break that a spreadsheet could read as a cell is escaped', () => {
  assert.equal(toCsvCell("hi;=cmd|'/C calc'!A0;x"), "hi;'=cmd|'/C calc'!A0;x");
  for (const first of ['=', '+', '-', '@'])
    for (const separator of [';', '\t', '\r', '\n', '\r\n', ';\t']) {
      const escaped = toCsvCell(`a${separator}${first}1${separator}${first}2`);
      assert.equal(escaped.replaceAll('"', ''), `a${separator}'${first}1${separator}'${first}2`);
    }
  assert.equal(toCsvCell('\t=1'), "'\t'=1");
  // The quotation marks that CSV doubles can be an empty quoted text for a spreadsheet.
  assert.equal(toCsvCell('a;"=1'), '"a;""\'=1"');
  for (const plain of ['a;b', 'a;b=1', 'a\tb-1', 'a; =1', "a;'=1"])
    assert.equal(toCsvCell(plain), plain);
});

test('commas, quotation marks and line breaks are quoted', () => {
  assert.equal(toCsvRow(['a,b', 'c"d', 'e\nf', 'g']), '"a,b","c""d","e\nf",g\r\n');
});

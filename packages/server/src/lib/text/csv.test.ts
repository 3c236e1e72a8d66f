import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsvCell, toCsvRow } from './csv.ts';

test('a cell that a spreadsheet would evaluate starts with an apostrophe', () => {
  for (const first of ['=', '+', '-', '@', '\t'])
    assert.equal(toCsvCell(`${first}1`), `'${first}1`);
  assert.equal(toCsvCell('\r1'), '"\'\r1"');
  assert.equal(toCsvCell('=HYPERLINK("x","y")'), '"\'=HYPERLINK(""x"",""y"")"');
  for (const plain of ['', '1=1', ' =1', 'a-b', "'=1"]) assert.equal(toCsvCell(plain), plain);
});

test('commas, quotation marks and line breaks are quoted', () => {
  assert.equal(toCsvRow(['a,b', 'c"d', 'e\nf', 'g']), '"a,b","c""d","e\nf",g\r\n');
});

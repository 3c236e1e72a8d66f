import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, passagesOf } from '../documents.suite.ts';

const TYPE = 'text/csv';

describe('the CSV parser', () => {
  test('detects the delimiter', async () => {
    const detected = [
      'Name,City\nAda,London',
      'Name;City\r\nAda;London\r\n',
      'Name\tCity\nAda\tLondon',
    ];
    const declared = 'sep=|\nName|City\nAda|London';
    for (const text of [...detected, declared, '\ufeffName,City\nAda,"London"\n\n'])
      assert.deepEqual(await passagesOf(text, TYPE), ['Name: Ada | City: London']);
  });

  test('supports quotes, quoted line breaks and records of different lengths', async () => {
    const text = 'Name;Note\nAda;"says ""a; b""\nand c"\nGrace\nJoan;x;y\n';
    assert.deepEqual(await passagesOf(text, TYPE), [
      'Name: Ada | Note: says "a; b" and c\nName: Grace\nName: Joan | Note: x | y',
    ]);
  });

  test('assumes no header if the first record contains values', async () => {
    assert.deepEqual(await passagesOf('Ada,1815-12-10\nGrace,1906-12-09', TYPE), [
      'Ada | 1815-12-10\nGrace | 1906-12-09',
    ]);
    assert.deepEqual(await passagesOf('Name,City', TYPE), ['Name | City']);
  });

  test('finds the header below a title, which becomes a heading', async () => {
    const table = 'Name;City\nAda;London\nAlan;Maida Vale';
    const rows = 'Name: Ada | City: London\nName: Alan | City: Maida Vale';
    for (const title of ['Staff 2026\n', '\nStaff 2026\n\n', 'Staff 2026;\n;\n'])
      assert.deepEqual(await passagesOf(title + table, TYPE), [`Staff 2026: ${rows}`]);
    assert.deepEqual(await passagesOf(`Staff\nOnly for editors\n${table}`, TYPE), [
      `Staff: Only for editors\n\n${rows}`,
    ]);
  });

  test('detects the delimiter below a title with another delimiter', async () => {
    const text = 'Prices, from 1 May\n\nName;Price\nAda;1,50\nJoan;2,20\n';
    assert.deepEqual(await passagesOf(text, TYPE), [
      'Prices, from 1 May: Name: Ada | Price: 1,50\nName: Joan | Price: 2,20',
    ]);
  });

  test('reads a file with one column, and a first cell above values, as a table', async () => {
    const names = 'Name\nAda\nGrace\nAlan; not Allan\nJoan\nKurt\nEmmy';
    assert.deepEqual(await passagesOf(names, TYPE), [
      'Name: Ada\nName: Grace\nName: Alan; not Allan\nName: Joan\nName: Kurt\nName: Emmy',
    ]);
    assert.deepEqual(await passagesOf('Name,\nAda,1815', TYPE), ['Name: Ada | 1815']);
    assert.deepEqual(await passagesOf('Name\nAda\nGrace, the first\nJoan', TYPE), [
      'Name: Ada\nName: Grace | the first\nName: Joan',
    ]);
  });

  test('reports the line of an unclosed quote', async () => {
    assert.match(
      await failureOf('a,b\n1,"2\n3,4\n', TYPE),
      /^corrupt: A quote .*never closed \(line/,
    );
    const long = `a,b\n1,"${'x\n'.repeat(3_000_000)}`;
    assert.match(await failureOf(long, TYPE), /^corrupt: A record is larger than 4 MiB/);
  });
});

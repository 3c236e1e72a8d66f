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

  test('reports the line of an unclosed quote', async () => {
    assert.match(
      await failureOf('a,b\n1,"2\n3,4\n', TYPE),
      /^corrupt: A quote .*never closed \(line/,
    );
    const long = `a,b\n1,"${'x\n'.repeat(3_000_000)}`;
    assert.match(await failureOf(long, TYPE), /^corrupt: A record is larger than 4 MiB/);
  });
});

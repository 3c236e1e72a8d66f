import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, passagesOf } from '../documents.suite.ts';

const TYPE = 'text/plain';

describe('the plain text parser', () => {
  test('splits text at blank lines and keeps other line breaks', async () => {
    const text = 'Roses are red,\r\n  violets are blue.\r\n \r\nNext.\rLast.';
    assert.deepEqual(await passagesOf(text, TYPE), [
      'Roses are red,\nviolets are blue.\n\nNext.\nLast.',
    ]);
  });

  test('makes a short first line a heading if a blank line and text follow', async () => {
    assert.deepEqual(await passagesOf('\n Returns \r\n \r\n\nThirty days.\n\nNo fee.', TYPE), [
      'Returns: Thirty days.\n\nNo fee.',
    ]);
    for (const first of ['Dear Ada,', 'You need:', 'It rings.', '开。', '-----', 'a'.repeat(101)])
      assert.deepEqual(await passagesOf(`${first}\n\nText`, TYPE), [`${first}\n\nText`]);
    for (const text of ['Returns\nThirty days', 'Returns\n\n', 'One\nTwo\n\nThree'])
      assert.deepEqual(await passagesOf(text, TYPE), [text.trim()]);
    for (const list of ['1. Open it\n\n2. Press A', '- Milk\n\n- Eggs', '• One\n\n• Two'])
      assert.deepEqual(await passagesOf(` ${list}`, TYPE), [list]);
    assert.deepEqual(await passagesOf('1. Scope\n\nAll lamps.', TYPE), ['1. Scope: All lamps.']);
  });

  test('decodes UTF-8, and UTF-16 with a byte order mark', async () => {
    const little = Buffer.from('\ufeffGrüße 😀', 'utf16le');
    for (const bytes of [Buffer.from('\ufeffGrüße 😀'), little, Buffer.from(little).swap16()])
      assert.deepEqual(await passagesOf(bytes, TYPE), ['Grüße 😀']);
  });

  test('rejects other encodings with instructions', async () => {
    for (const bytes of [Buffer.from('Grüße', 'latin1'), Buffer.from([0xff, 0xfe, 0x00, 0xd8])])
      assert.match(await failureOf(bytes, TYPE), /^not-unicode: .*Save the file as UTF-8/);
  });

  test('reports a text without visible characters as empty', async () => {
    for (const text of [' \n\t\r\n', '\ufeff', '\0\u0007'])
      assert.match(await failureOf(text, TYPE), /^empty: /);
  });
});

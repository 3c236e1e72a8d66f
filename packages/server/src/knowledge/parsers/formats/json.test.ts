import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureOf, passagesOf } from '../documents.suite.ts';

const TYPE = 'application/json';

describe('the JSON parser', () => {
  test('returns one row per record of short values, grouped by top-level member', async () => {
    const text = `{ "name": "Shop", "address": { "city": "Oslo", "lines": ["a", "b"] },
      "orders": [{ "id": 1, "open": true }, { "id": 2, "items": [{ "sku": "x" }] }], "note": "n" }`;
    assert.deepEqual(await passagesOf(text, TYPE), [
      'name: Shop | note: n',
      'address: city: Oslo | lines: a, b',
      'orders: id: 1 | open: true\nid: 2 | items[0].sku: x',
    ]);
  });

  test('returns one line per value of a record with sentences, long values or many members', async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`m${at}`, at]));
    for (const record of [
      { id: 1, text: 'It rings.' },
      { id: 1, text: '开。' },
      { id: 1, text: 'a'.repeat(81) },
      { id: 1, text: 'a | b' },
      { id: 1, text: 'a\nb' },
      many,
    ]) {
      const lines = Object.entries(record).map(([name, value]) => `${name}: ${value}`);
      assert.deepEqual(await passagesOf(JSON.stringify([record]), TYPE), [lines.join('\n')]);
    }
  });

  test('returns one record per array element', async () => {
    assert.deepEqual(await passagesOf('[{"a":"1"},{"a":"2"},"three",4]', TYPE), [
      'a: 1\na: 2\n\nthree\n4',
    ]);
    assert.deepEqual(await passagesOf('"just text"', TYPE), ['just text']);
  });

  test('keeps all digits and duplicate members, and omits empty values', async () => {
    const text = '{"id":12345678901234567890,"a":null,"b":"","c":[],"\\u0064":"x","d":"y"}';
    assert.deepEqual(await passagesOf(text, TYPE), ['id: 12345678901234567890 | d: x | d: y']);
  });

  test('truncates long paths', async () => {
    const name = JSON.stringify('n'.repeat(200));
    const [passage = ''] = await passagesOf(`{"a":{${name}:{${name}:{"z":1}}}}`, TYPE);
    assert.ok(passage.endsWith('…: 1') && passage.length < 400, passage);
  });

  test('reports the position of a syntax error', async () => {
    assert.match(await failureOf('{\n "a": }', TYPE), /^corrupt: .*line 2, column 7: a value is/);
    assert.match(await failureOf('{}', TYPE), /^empty: /);
  });

  test('reports a million nested levels as too complex', async () => {
    assert.match(await failureOf('['.repeat(1_000_000), TYPE), /^too-complex: /);
    assert.match(await failureOf('{"a":'.repeat(1_000_000), TYPE), /^too-complex: /);
  });

  test('returns each string value in at least one passage', async () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, word, tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    }));
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const text = JSON.stringify(['first', given]);
        const found = (await passagesOf(text, TYPE)).join('\n');
        for (const [, leaf = ''] of text.matchAll(/[[,:]"([a-z]+)"(?!:)/g))
          assert.ok(found.includes(leaf), leaf);
      }),
    );
  });
});

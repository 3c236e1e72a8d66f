import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureOf, passagesOf } from '../documents.suite.ts';

const TYPE = 'application/json';

describe('JSON', () => {
  test('gives a line for each leaf, under the outermost member it stands in', async () => {
    const text = `{ "name": "Shop", "address": { "city": "Oslo", "lines": ["a", "b"] },
      "orders": [{ "id": 1, "open": true }, { "id": 2, "items": [{ "sku": "x" }] }], "note": "n" }`;
    assert.deepEqual(await passagesOf(text, TYPE), [
      'name: Shop\nnote: n',
      'address: city: Oslo\nlines: a, b',
      'orders: id: 1\nopen: true\n\nid: 2\nitems[0].sku: x',
    ]);
  });

  test('gives each element of an array as a record', async () => {
    assert.deepEqual(await passagesOf('[{"a":"1"},{"a":"2"},"three",4]', TYPE), [
      'a: 1\n\na: 2\n\nthree\n4',
    ]);
    assert.deepEqual(await passagesOf('"just text"', TYPE), ['just text']);
  });

  test('keeps all digits and repeated members, and leaves out what says nothing', async () => {
    const text = '{"id":12345678901234567890,"a":null,"b":"","c":[],"\\u0064":"x","d":"y"}';
    assert.deepEqual(await passagesOf(text, TYPE), ['id: 12345678901234567890\nd: x\nd: y']);
  });

  test('cuts paths that grow without end', async () => {
    const name = JSON.stringify('n'.repeat(200));
    const [passage = ''] = await passagesOf(`{"a":{${name}:{${name}:{"z":1}}}}`, TYPE);
    assert.ok(passage.endsWith('…: 1') && passage.length < 400, passage);
  });

  test('that is none says where', async () => {
    assert.match(await failureOf('{\n "a": }', TYPE), /^corrupt: .*line 2, column 7: a value is/);
    assert.match(await failureOf('{}', TYPE), /^empty: /);
  });

  test('nested a million levels deep is too complex', async () => {
    assert.match(await failureOf('['.repeat(1_000_000), TYPE), /^too-complex: /);
    assert.match(await failureOf('{"a":'.repeat(1_000_000), TYPE), /^too-complex: /);
  });

  test('holds every string of a value in some passage', async () => {
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { metadataArbitrary } from '../../tests/arbitraries.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../language/json.ts';
import { limits } from '../language/limits.ts';
import {
  collectedValues,
  foldMetadata,
  indexedPath,
  indexedScalar,
  indexedValues,
} from './stored-values.ts';

test('foldMetadata folds strings at any depth, but not keys or other values', () => {
  assert.deepEqual(
    foldMetadata({
      Team: 'HR',
      Tags: ['ÉA', 1, null, ['ΑΣ']],
      Owner: { Name: 'ADA' },
      Draft: true,
    }),
    { Team: 'hr', Tags: ['éa', 1, null, ['ας']], Owner: { Name: 'ada' }, Draft: true },
  );
});

test('foldMetadata preserves a key named __proto__', () => {
  const folded = foldMetadata(JSON.parse('{"__proto__": {"A": "B"}}'));
  assert.equal(JSON.stringify(folded), '{"__proto__":{"A":"b"}}');
});

test('foldMetadata folds metadata that is nested 1,000 levels deep', () => {
  const text = `${'{"A":'.repeat(1000)}"B"${'}'.repeat(1000)}`;
  assert.equal(JSON.stringify(foldMetadata(JSON.parse(text))), text.replace('"B"', '"b"'));
});

function rows(metadata: JsonObject): string[] {
  return indexedValues(metadata).map(({ path, value }) => `${path} ${value}`);
}

test('indexedValues returns scalars and array elements with their path', () => {
  assert.deepEqual(
    rows({ team: 'hr', level: 3, draft: false, owner: { name: 'Ada' }, tags: ['x', 1] }),
    ['team "hr"', 'level 3', 'draft false', 'owner.name "Ada"', 'tags "x"', 'tags 1'],
  );
});

test('indexedValues distinguishes strings, numbers and booleans', () => {
  assert.deepEqual(rows({ a: ['1', 1, 'true', true] }), ['a "1"', 'a 1', 'a "true"', 'a true']);
});

test('indexedValues omits nulls, and scalars of an array inside an array', () => {
  assert.deepEqual(rows({ a: null, b: [null, [1], { c: null }], d: {}, e: [] }), []);
});

test('indexedValues returns the values on paths through arrays once per path', () => {
  assert.deepEqual(
    rows({ acl: [{ group: 'a', to: [1, 2] }, { group: 'a', to: 2 }, [{ group: 'b' }], 'c'] }),
    ['acl "c"', 'acl.group "a"', 'acl.group "b"', 'acl.to 1', 'acl.to 2'],
  );
});

test('collectedValues returns the distinct values on paths through arrays, and folded strings', () => {
  assert.deepEqual(
    collectedValues({
      team: 'HR',
      tags: ['x'],
      acl: [
        { group: 'A', to: { id: 1 } },
        { group: ['a', 'A', null] },
        [{ to: { id: [[2], {}] } }],
      ],
    }),
    {
      acl: {
        group: { '.': ['A', 'a', null], '.folded': ['a'] },
        to: { '.': [{}], id: { '.': [1, {}, []] } },
      },
    },
  );
});

test('collectedValues returns null if no path through an array finds a value', () => {
  for (const metadata of [{}, { a: { b: ['x', [1], {}] } }, { a: [{ b: [] }, {}, 'x', []] }])
    assert.equal(collectedValues(metadata), null, JSON.stringify(metadata));
});

test('collectedValues preserves a key named __proto__', () => {
  const collected = collectedValues(JSON.parse('{"a": [{"__proto__": 1}]}'));
  assert.equal(JSON.stringify(collected), '{"a":{"__proto__":{".":[1]}}}');
});

test('stored values are at most six times as large as the metadata, however arrays are nested', () => {
  let nested: JsonValue = [{ a: 'A' }];
  for (let level = 0; level < 10; level += 1) nested = [{ a: nested, b: nested }, nested];
  const wide = Array.from({ length: 5000 }, (_, at) => ({ [`k${at}`]: [{ v: `V${at}` }] }));
  for (const metadata of [{ nested }, { wide }]) {
    const size = JSON.stringify(metadata).length;
    assert.ok(JSON.stringify(collectedValues(metadata)).length < 6 * size);
    assert.ok(indexedValues(metadata).length < size);
  }
});

test('indexedValues omits duplicates and treats 0 and -0 as equal', () => {
  assert.deepEqual(rows({ a: ['x', 'x'], b: [0, -0] }), ['a "x"', 'b 0']);
});

test('indexedValues omits keys that no filter can name', () => {
  const tooDeep = {
    [Array(limits.depth + 1)
      .fill('a')
      .join('/')]: 1,
  };
  const nested = Array.from({ length: limits.depth + 1 }).reduce<JsonObject>((a) => ({ a }), {});
  assert.deepEqual(rows({ 'a.b': 1, '': 2, a: { '': 3, 'b.c': 4 } }), []);
  assert.deepEqual(rows({ ['é'.repeat(limits.characters + 1)]: 1 }), []);
  assert.equal(rows(tooDeep).length, 1);
  assert.deepEqual(rows({ nested }), []);
});

test('indexedValues omits strings that are longer than an operand can be', () => {
  const longest = '😀'.repeat(limits.characters);
  assert.equal(rows({ a: longest }).length, 1);
  assert.deepEqual(rows({ a: `${longest}a` }), []);
});

test('indexedValues returns paths and values of at most 900 bytes', () => {
  const wide = '\uffff'.repeat(limits.characters);
  for (const { path, value } of indexedValues({ [wide]: [wide, '"'.repeat(1000)] })) {
    assert.ok(Buffer.byteLength(path) <= 900 && Buffer.byteLength(value) <= 900);
  }
});

test('long strings with a common prefix are stored as different values', () => {
  const long = 'x'.repeat(500);
  const values = [long, `${long}x`, indexedScalar(long)].map(indexedScalar);
  assert.equal(new Set(values).size, 3);
  assert.notEqual(indexedPath([long]), indexedPath([`${long}x`]));
});

test('indexedValues returns a row for every scalar that an operand can equal', () => {
  fc.assert(
    fc.property(metadataArbitrary, (metadata) => {
      const all = indexedValues(metadata);
      assert.equal(new Set(all.map(({ path, value }) => `${path}\0${value}`)).size, all.length);
      for (const [key, value] of Object.entries(metadata)) {
        if (key === '' || key.includes('.') || value === null || typeof value === 'object')
          continue;
        const expected = { path: indexedPath([key]), value: indexedScalar(value) };
        assert.ok(all.some((row) => row.path === expected.path && row.value === expected.value));
      }
      assert.ok(isJsonObject(metadata));
    }),
  );
});

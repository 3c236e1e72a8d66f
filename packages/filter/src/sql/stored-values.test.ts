import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { metadataArbitrary } from '../../tests/arbitraries.ts';
import { isJsonObject, type JsonObject } from '../language/json.ts';
import { limits } from '../language/limits.ts';
import { foldMetadata, indexedPath, indexedScalar, indexedValues } from './stored-values.ts';

test('strings are folded at any depth, keys and all else are as they were', () => {
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

test('a key __proto__ stays a key', () => {
  const folded = foldMetadata(JSON.parse('{"__proto__": {"A": "B"}}'));
  assert.equal(JSON.stringify(folded), '{"__proto__":{"A":"b"}}');
});

test('metadata of 1,000 levels is folded', () => {
  const text = `${'{"A":'.repeat(1000)}"B"${'}'.repeat(1000)}`;
  assert.equal(JSON.stringify(foldMetadata(JSON.parse(text))), text.replace('"B"', '"b"'));
});

function rows(metadata: JsonObject): string[] {
  return indexedValues(metadata).map(({ path, value }) => `${path} ${value}`);
}

test('scalars are indexed by their path, and so are the elements of an array', () => {
  assert.deepEqual(
    rows({ team: 'hr', level: 3, draft: false, owner: { name: 'Ada' }, tags: ['x', 1] }),
    ['team "hr"', 'level 3', 'draft false', 'owner.name "Ada"', 'tags "x"', 'tags 1'],
  );
});

test('a string, a number and a boolean that look alike have different rows', () => {
  assert.deepEqual(rows({ a: ['1', 1, 'true', true] }), ['a "1"', 'a 1', 'a "true"', 'a true']);
});

test('nulls, and what is inside of arrays inside of arrays, have no rows', () => {
  assert.deepEqual(rows({ a: null, b: [null, [1], { c: 1 }], d: {}, e: [] }), []);
});

test('what stands in an array twice has one row, and so have 0 and -0', () => {
  assert.deepEqual(rows({ a: ['x', 'x'], b: [0, -0] }), ['a "x"', 'b 0']);
});

test('keys that no filter can name have no rows', () => {
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

test('a string is indexed when it is short enough for an operand', () => {
  const longest = '😀'.repeat(limits.characters);
  assert.equal(rows({ a: longest }).length, 1);
  assert.deepEqual(rows({ a: `${longest}a` }), []);
});

test('a row fits into a key of PostgreSQL: path and value have at most 900 bytes each', () => {
  const wide = '\uffff'.repeat(limits.characters);
  for (const { path, value } of indexedValues({ [wide]: [wide, '"'.repeat(1000)] })) {
    assert.ok(Buffer.byteLength(path) <= 900 && Buffer.byteLength(value) <= 900);
  }
});

test('a long string is told from others of its beginning, and from what stands for it', () => {
  const long = 'x'.repeat(500);
  const values = [long, `${long}x`, indexedScalar(long)].map(indexedScalar);
  assert.equal(new Set(values).size, 3);
  assert.notEqual(indexedPath([long]), indexedPath([`${long}x`]));
});

test('an operand that equals a value has its row, whatever the metadata', () => {
  fc.assert(
    fc.property(metadataArbitrary, (metadata) => {
      const all = indexedValues(metadata);
      assert.equal(new Set(all.map(({ path, value }) => `${path}\0${value}`)).size, all.length);
      for (const [key, value] of Object.entries(metadata)) {
        if (key === '' || key.includes('.') || value === null || typeof value === 'object')
          continue;
        const wanted = { path: indexedPath([key]), value: indexedScalar(value) };
        assert.ok(all.some((row) => row.path === wanted.path && row.value === wanted.value));
      }
      assert.ok(isJsonObject(metadata));
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@gatehouse/filter';
import { MetadataFieldCounts } from './metadata-fields.rules.ts';

function fieldsIn(...documents: JsonObject[]) {
  const counts = new MetadataFieldCounts();
  for (const metadata of documents) counts.add(metadata);
  return counts.fields();
}

test('a value that a document contains several times counts once', () => {
  const [acl, group] = fieldsIn({ acl: [{ group: 'a' }, { group: ['a', 'b'] }] });
  assert.deepEqual([acl?.name, acl?.types, acl?.values], ['acl', ['array'], []]);
  assert.deepEqual(group, {
    name: 'acl.group',
    types: ['string'],
    documents: 1,
    values: [
      { value: 'a', documents: 1 },
      { value: 'b', documents: 1 },
    ],
  });
});

test('values of different types are separate', () => {
  const [field] = fieldsIn({ level: 1 }, { level: '1' }, { level: true }, { level: 1 });
  assert.deepEqual(field?.types, ['number', 'string', 'boolean']);
  assert.deepEqual(field?.values.at(0), { value: 1, documents: 2 });
});

test('at most 1,000 fields are counted per document and in total, and the 20 most frequent of at most 1,000 values per field are shown', () => {
  const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`f${index}`, 1]));
  assert.equal(fieldsIn(many, { another: 1 }).length, 1000);
  const values = Array.from({ length: 1500 }, (_, index) => `v${index}`);
  const [field] = fieldsIn({ tag: values }, { tag: ['v7'] }, { tag: ['v1499'] });
  assert.deepEqual(field?.values[0], { value: 'v7', documents: 2 });
  assert.equal(field?.values.length, 20);
  assert.ok(field?.values.every(({ value }) => value !== 'v1499'));
});

test('long strings and long names are omitted', () => {
  const [short, long] = fieldsIn({ short: 'x'.repeat(200), long: 'x'.repeat(201) }).toSorted((a) =>
    a.name === 'short' ? -1 : 1,
  );
  assert.deepEqual([short?.values.length, long?.values.length], [1, 0]);
  assert.equal(fieldsIn({ ['n'.repeat(1000)]: { x: 1 }, ['n'.repeat(1001)]: 1 }).length, 1);
});

test('deeply nested metadata needs no recursion', () => {
  let nested: JsonObject = { end: 1 };
  for (let depth = 0; depth < 300; depth += 1) nested = { a: [nested] };
  const names = fieldsIn(nested).map(({ name }) => name.length);
  assert.equal(Math.max(...names), 2 * 300 + 3);
});

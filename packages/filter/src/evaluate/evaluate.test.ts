import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsed } from '../../tests/arbitraries.ts';
import { recordWith } from '../../tests/sample-record.ts';
import { fieldTypes } from '../language/ast.ts';
import type { JsonObject, JsonValue } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const matches = (filter: JsonObject, metadata: JsonObject) =>
  evaluate(parsed(filter), recordWith(metadata));

/** Metadata with the field `x` in each possible type. */
const values: Readonly<Record<string, JsonObject>> = {
  string: { x: 'b' },
  'a string of digits': { x: '1' },
  number: { x: 1 },
  true: { x: true },
  false: { x: false },
  null: { x: null },
  absent: {},
  'an empty array': { x: [] },
  array: { x: ['b', 1, true] },
  'an array with null': { x: [null] },
  'an array in an array': { x: [['b', 1]] },
  'an empty object': { x: {} },
  object: { x: { x: 'b' } },
};

/** Each operator and operand, with the names of all values that match. */
const table: readonly (readonly [string, JsonValue, readonly string[]])[] = [
  ['eq', 'b', ['string', 'array']],
  ['eq', '1', ['a string of digits']],
  ['eq', 1, ['number', 'array']],
  ['eq', true, ['true', 'array']],
  ['eq', false, ['false']],
  ['eq', null, ['null', 'absent']],
  ['eq', 'B', []],
  ['in', ['b', 1], ['string', 'number', 'array']],
  ['in', [null, false], ['null', 'absent', 'false']],
  ['in', [], []],
  ['gt', 0, ['number', 'array']],
  ['gt', 1, []],
  ['gt', 'a', ['string', 'array']],
  ['gt', '', ['string', 'a string of digits', 'array']],
  ['gte', 1, ['number', 'array']],
  ['gte', 'b', ['string', 'array']],
  ['lt', 2, ['number', 'array']],
  ['lt', 1, []],
  ['lt', 'b', ['a string of digits']],
  ['lte', 1, ['number', 'array']],
  ['lte', 'b', ['string', 'a string of digits', 'array']],
  ['like', 'B', ['string', 'array']],
  ['like', '%', ['string', 'a string of digits', 'array']],
  ['tp', 'string', ['string', 'a string of digits']],
  ['tp', 'number', ['number']],
  ['tp', 'boolean', ['true', 'false']],
  ['tp', 'null', ['null']],
  ['tp', 'absent', ['absent']],
  ['tp', 'array', ['an empty array', 'array', 'an array with null', 'an array in an array']],
  ['tp', 'object', ['an empty object', 'object']],
];

describe('every operator on every JSON type', () => {
  for (const [operator, operand, matching] of table) {
    const condition = `{${operator}: ${JSON.stringify(operand)}}`;
    test(`${condition} matches ${matching.join(', ') || 'none of the values'} only`, () => {
      for (const [name, metadata] of Object.entries(values)) {
        const expected = matching.includes(name);
        assert.equal(matches({ x: { [operator]: operand } }, metadata), expected, name);
        assert.equal(matches({ not: { x: { [operator]: operand } } }, metadata), !expected, name);
        if (operator !== 'eq') continue;
        assert.equal(matches({ x: { ne: operand } }, metadata), !expected, `ne: ${name}`);
      }
    });
  }

  test('the table of test cases covers every field type', () => {
    const covered = table.flatMap(([operator, operand]) => (operator === 'tp' ? [operand] : []));
    assert.deepEqual(new Set(covered), new Set(fieldTypes));
  });
});

test('`{}` and `{ and: [] }` match all records, and `{ or: [] }` matches none', () => {
  assert.equal(matches({}, {}), true);
  assert.equal(matches({ and: [] }, {}), true);
  assert.equal(matches({ or: [] }, {}), false);
  assert.equal(matches({ not: {} }, {}), false);
});

test('a filter matches only if all of its members and operators match', () => {
  assert.equal(matches({ a: { eq: 1 }, b: { eq: 2 } }, { a: 1, b: 2 }), true);
  assert.equal(matches({ a: { eq: 1 }, b: { eq: 2 } }, { a: 1, b: 3 }), false);
  assert.equal(matches({ a: { gt: 1, lt: 3 } }, { a: 2 }), true);
  assert.equal(matches({ a: { gt: 1, lt: 3 } }, { a: 3 }), false);
});

test('`{ a: null }` is shorthand for `{ a: { eq: null } }`', () => {
  assert.equal(matches({ a: null }, {}), true);
  assert.equal(matches({ a: null }, { a: null }), true);
  assert.equal(matches({ a: null }, { a: 0 }), false);
});

test('treats 0 and -0 as equal, also in arrays', () => {
  assert.equal(matches({ a: { eq: 0 } }, { a: -0 }), true);
  assert.equal(matches({ a: { eq: -0 } }, { a: 0 }), true);
  assert.equal(matches({ a: { eq: 0 } }, { a: [-0] }), true);
  assert.equal(matches({ a: { lt: 0 } }, { a: -0 }), false);
  assert.equal(matches({ a: { gte: 0 } }, { a: -0 }), true);
});

test('compares numbers as doubles', () => {
  const record = { a: JSON.parse('9007199254740993') };
  assert.equal(matches({ a: { eq: JSON.parse('9007199254740992') } }, record), true);
});

test('orders strings by code point, not by UTF-16 code unit', () => {
  assert.equal(matches({ a: { gt: '\uffff' } }, { a: '😀' }), true);
  assert.equal(matches({ a: { lt: '😀' } }, { a: '\ue000' }), true);
  assert.equal(matches({ a: { lt: 'a' } }, { a: 'Z' }), true);
});

test('compares the document’s own fields', () => {
  const record = recordWith({}, { language: null });
  const holds = (filter: JsonObject) => evaluate(parsed(filter), record);
  assert.equal(holds({ fileName: { like: 'travel%.PDF' } }), true);
  assert.equal(holds({ mimeType: { eq: 'application/pdf' } }), true);
  assert.equal(holds({ language: null }), true);
  assert.equal(holds({ language: { tp: 'null' } }), true);
  assert.equal(holds({ createdAt: { gte: '2026-01', lt: '2026-02' } }), true);
  assert.equal(holds({ updatedAt: { lt: '2026-02' } }), false);
});

test('never reads a document field from the metadata', () => {
  assert.equal(matches({ fileName: { eq: 'other' } }, { fileName: 'other' }), false);
});

test('operators of one predicate can hold for different elements of an array', () => {
  assert.equal(matches({ a: { gt: 5, lt: 3 } }, { a: [1, 9] }), true);
  assert.equal(matches({ a: { gt: 5, ne: 9 } }, { a: [1, 9] }), false);
});

test('only elements with the type of the operand are compared', () => {
  assert.equal(matches({ a: { gt: 0 } }, { a: ['5', true, [5], { a: 5 }, null] }), false);
  assert.equal(matches({ a: { like: '%' } }, { a: [5, ['x'], { a: 'x' }, null] }), false);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsed } from '../../tests/arbitraries.ts';
import { recordWith } from '../../tests/sample-record.ts';
import { fieldTypes } from '../language/ast.ts';
import type { JsonObject, JsonValue } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const matches = (filter: JsonObject, metadata: JsonObject) =>
  evaluate(parsed(filter), recordWith(metadata));

/** The field `x` in each of its possible types. */
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

/** Each operator and operand, and the values above for which it holds; for all others it does not. */
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
  ['gt', 0, ['number']],
  ['gt', 1, []],
  ['gt', 'a', ['string']],
  ['gt', '', ['string', 'a string of digits']],
  ['gte', 1, ['number']],
  ['gte', 'b', ['string']],
  ['lt', 2, ['number']],
  ['lt', 1, []],
  ['lt', 'b', ['a string of digits']],
  ['lte', 1, ['number']],
  ['lte', 'b', ['string', 'a string of digits']],
  ['like', 'B', ['string']],
  ['like', '%', ['string', 'a string of digits']],
  ['tp', 'string', ['string', 'a string of digits']],
  ['tp', 'number', ['number']],
  ['tp', 'boolean', ['true', 'false']],
  ['tp', 'null', ['null']],
  ['tp', 'absent', ['absent']],
  ['tp', 'array', ['an empty array', 'array', 'an array with null', 'an array in an array']],
  ['tp', 'object', ['an empty object', 'object']],
];

describe('every operator on every JSON type', () => {
  for (const [operator, operand, holding] of table) {
    const condition = `{${operator}: ${JSON.stringify(operand)}}`;
    test(`${condition} holds for ${holding.join(', ') || 'nothing here'} only`, () => {
      for (const [name, metadata] of Object.entries(values)) {
        const expected = holding.includes(name);
        assert.equal(matches({ x: { [operator]: operand } }, metadata), expected, name);
        assert.equal(matches({ not: { x: { [operator]: operand } } }, metadata), !expected, name);
        if (operator !== 'eq') continue;
        assert.equal(matches({ x: { ne: operand } }, metadata), !expected, `ne: ${name}`);
      }
    });
  }

  test('the table asks for every type there is', () => {
    const asked = table.flatMap(([operator, operand]) => (operator === 'tp' ? [operand] : []));
    assert.deepEqual(new Set(asked), new Set(fieldTypes));
  });
});

test('an empty filter and an empty and match all, an empty or nothing', () => {
  assert.equal(matches({}, {}), true);
  assert.equal(matches({ and: [] }, {}), true);
  assert.equal(matches({ or: [] }, {}), false);
  assert.equal(matches({ not: {} }, {}), false);
});

test('several members and several operators must all hold', () => {
  assert.equal(matches({ a: { eq: 1 }, b: { eq: 2 } }, { a: 1, b: 2 }), true);
  assert.equal(matches({ a: { eq: 1 }, b: { eq: 2 } }, { a: 1, b: 3 }), false);
  assert.equal(matches({ a: { gt: 1, lt: 3 } }, { a: 2 }), true);
  assert.equal(matches({ a: { gt: 1, lt: 3 } }, { a: 3 }), false);
});

test('null is short for eq null', () => {
  assert.equal(matches({ a: null }, {}), true);
  assert.equal(matches({ a: null }, { a: null }), true);
  assert.equal(matches({ a: null }, { a: 0 }), false);
});

test('zero equals minus zero, on both sides and inside arrays', () => {
  assert.equal(matches({ a: { eq: 0 } }, { a: -0 }), true);
  assert.equal(matches({ a: { eq: -0 } }, { a: 0 }), true);
  assert.equal(matches({ a: { eq: 0 } }, { a: [-0] }), true);
  assert.equal(matches({ a: { lt: 0 } }, { a: -0 }), false);
  assert.equal(matches({ a: { gte: 0 } }, { a: -0 }), true);
});

test('numbers are doubles: integers beyond 2^53 that round to one double are equal', () => {
  const record = { a: JSON.parse('9007199254740993') };
  assert.equal(matches({ a: { eq: JSON.parse('9007199254740992') } }, record), true);
});

test('strings are ordered by code point, not by UTF-16 unit', () => {
  assert.equal(matches({ a: { gt: '\uffff' } }, { a: '😀' }), true);
  assert.equal(matches({ a: { lt: '😀' } }, { a: '\ue000' }), true);
  assert.equal(matches({ a: { lt: 'a' } }, { a: 'Z' }), true);
});

test('the fields of the document itself are compared by name', () => {
  const record = recordWith({}, { language: null });
  const holds = (filter: JsonObject) => evaluate(parsed(filter), record);
  assert.equal(holds({ fileName: { like: 'travel%.PDF' } }), true);
  assert.equal(holds({ mimeType: { eq: 'application/pdf' } }), true);
  assert.equal(holds({ language: null }), true);
  assert.equal(holds({ language: { tp: 'null' } }), true);
  assert.equal(holds({ createdAt: { gte: '2026-01', lt: '2026-02' } }), true);
  assert.equal(holds({ updatedAt: { lt: '2026-02' } }), false);
});

test('a document field never comes from the metadata', () => {
  assert.equal(matches({ fileName: { eq: 'other' } }, { fileName: 'other' }), false);
});

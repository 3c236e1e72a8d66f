import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaProblems } from '@gatehouse/contract';
import { argumentProblems } from './input-schema.rules.ts';

const ORDER = {
  type: 'object',
  properties: {
    order: { type: 'string', minLength: 1, maxLength: 20 },
    lines: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 3 },
    reason: { anyOf: [{ type: 'null' }, { enum: ['late', 'broken'] }] },
  },
  required: ['order'],
  additionalProperties: false,
};

/** A schema with this many levels of nested objects. */
function nested(levels: number): object {
  const inner = levels === 0 ? {} : { properties: { a: nested(levels - 1) } };
  return { type: 'object', ...inner };
}

test('schemas of the supported keywords have no problems', () => {
  assert.deepEqual(schemaProblems(ORDER), []);
  assert.deepEqual(schemaProblems(nested(8)), []);
  assert.deepEqual(
    schemaProblems({ type: 'object', properties: { __proto__x: { const: 1 } } }),
    [],
  );
});

test('schemas that are not objects, too deep or contain other keywords have problems', () => {
  for (const schema of [
    null,
    [],
    'object',
    {},
    { type: 'string' },
    { type: ['object', 'unknown'] },
    nested(9),
    { type: 'object', properties: [] },
    { type: 'object', properties: { a: true } },
    { type: 'object', required: 'a' },
    { type: 'object', additionalProperties: {} },
    { type: 'object', properties: { a: { anyOf: [] } } },
    { type: 'object', properties: { a: { maxLength: -1 } } },
    ...['pattern', 'format', '$ref', '$id', 'patternProperties', 'allOf', 'not', 'if'].map(
      (keyword) => ({ type: 'object', properties: { a: { [keyword]: 'x' } } }),
    ),
    JSON.parse('{"type":"object","__proto__":{}}'),
  ])
    assert.notDeepEqual(schemaProblems(schema), [], JSON.stringify(schema));
});

test('arguments must match the schema', () => {
  const valid = [
    { order: '1' },
    { order: '1', lines: [1, 2], reason: null },
    { order: '1', reason: 'late' },
  ];
  for (const input of valid) assert.equal(argumentProblems(ORDER, input), null);
  for (const input of [
    null,
    [],
    '{"order":"1"}',
    {},
    { order: 1 },
    { order: '' },
    { order: 'x'.repeat(21) },
    { order: '1', lines: [0] },
    { order: '1', lines: [1, 1, 1, 1] },
    { order: '1', reason: 'other' },
    { order: '1', unknown: true },
    JSON.parse('{"order":"1","__proto__":{"admin":true}}'),
  ])
    assert.notEqual(argumentProblems(ORDER, input), null, JSON.stringify(input));
  assert.match(
    argumentProblems({ type: 'object' }, { a: 'x'.repeat(16_000) }) ?? '',
    /at most 16000/,
  );
});

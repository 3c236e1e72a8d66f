import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { filterArbitrary, parsed, recordArbitrary } from '../../tests/arbitraries.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { contractHolds } from '../../tests/contract-rules.ts';
import { recordWith } from '../../tests/sample-record.ts';
import type { JsonObject, JsonValue } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const matches = (filter: JsonObject, metadata: JsonObject) =>
  evaluate(parsed(filter), recordWith(metadata));

test('`ne` hides a document if any object in a list has the value', () => {
  const acl = [{ group: 'staff' }, { group: 'board' }];
  assert.equal(matches({ 'acl.group': { ne: 'board' } }, { acl }), false);
  assert.equal(matches({ not: { 'acl.group': { eq: 'board' } } }, { acl }), false);
  assert.equal(matches({ 'acl.group': { eq: 'board' } }, { acl }), true);
  assert.equal(matches({ 'acl.group': { ne: 'guests' } }, { acl }), true);
});

/** Values of the metadata key `a`, read with the path `a.b`. */
const lists: Readonly<Record<string, JsonValue>> = {
  'two objects': [{ b: 'x' }, { b: 2 }],
  'an object below an object': { b: ['x', 2] },
  'a list at the end': [{ b: ['x', 2] }],
  'arrays in an array': [[{ b: 'x' }], [[{ b: 2 }]]],
  'an array in an array at the end': [{ b: [['x', 2]] }],
  'an empty array at the end': [{ b: [] }],
  'an empty array': [],
  'no objects': ['x', 2, null],
  'objects without the key': [{}, { c: 'x' }],
  'only a null': [{ b: null }],
  'a null and a value': [{ b: null }, { b: 'x' }],
  'an object at the end': [{ b: { c: 'x' } }],
};

/** Operators on `a.b`, with the names of all lists that match. */
const table: readonly (readonly [string, JsonValue, readonly string[]])[] = [
  [
    'eq',
    'x',
    [
      'two objects',
      'an object below an object',
      'a list at the end',
      'arrays in an array',
      'a null and a value',
    ],
  ],
  [
    'gt',
    1,
    ['two objects', 'an object below an object', 'a list at the end', 'arrays in an array'],
  ],
  [
    'like',
    'X%',
    [
      'two objects',
      'an object below an object',
      'a list at the end',
      'arrays in an array',
      'a null and a value',
    ],
  ],
  [
    'eq',
    null,
    ['an empty array at the end', 'an empty array', 'no objects', 'objects without the key'],
  ],
  [
    'in',
    [null, 3],
    ['an empty array at the end', 'an empty array', 'no objects', 'objects without the key'],
  ],
  [
    'tp',
    'absent',
    ['an empty array at the end', 'an empty array', 'no objects', 'objects without the key'],
  ],
  [
    'tp',
    'string',
    ['two objects', 'a list at the end', 'arrays in an array', 'a null and a value'],
  ],
  ['tp', 'number', ['two objects', 'a list at the end', 'arrays in an array']],
  ['tp', 'null', ['only a null', 'a null and a value']],
  ['tp', 'array', ['an object below an object', 'an array in an array at the end']],
  ['tp', 'object', ['an object at the end']],
];

describe('a dotted name on lists', () => {
  for (const [operator, operand, matching] of table) {
    const condition = `{${operator}: ${JSON.stringify(operand)}}`;
    test(`${condition} matches ${matching.join(', ')} only`, () => {
      for (const [name, a] of Object.entries(lists)) {
        const expected = matching.includes(name);
        assert.equal(matches({ 'a.b': { [operator]: operand } }, { a }), expected, name);
        assert.equal(matches({ not: { 'a.b': { [operator]: operand } } }, { a }), !expected, name);
        if (operator !== 'eq') continue;
        assert.equal(matches({ 'a.b': { ne: operand } }, { a }), !expected, `ne: ${name}`);
      }
    });
  }
});

test('a path collects values through several arrays', () => {
  const teams = [{ members: [{ name: 'Ada' }] }, { members: [{ name: 'Bo' }, { name: ['Cy'] }] }];
  for (const name of ['Ada', 'Bo', 'Cy'])
    assert.equal(matches({ 'teams.members.name': { eq: name } }, { teams }), true);
  assert.equal(matches({ 'teams.members.name': { like: 'c_' } }, { teams }), true);
  assert.equal(matches({ 'teams.members.name': { ne: 'Cy' } }, { teams }), false);
});

test('does not overflow the stack for deeply nested arrays on a path', () => {
  let nested: JsonValue = { b: 'x' };
  for (let level = 0; level < 1_000_000; level += 1) nested = [nested];
  assert.equal(matches({ 'a.b': { eq: 'x' } }, { a: nested }), true);
});

test('evaluate agrees with the rules of the contract', () => {
  fc.assert(
    fc.property(filterArbitrary, recordArbitrary, (filter, record) => {
      assert.equal(evaluate(filter, record), contractHolds(filter, record));
    }),
    { numRuns: roundsOf(1000, 5000) },
  );
});

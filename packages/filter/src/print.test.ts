import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterArbitrary, parsed } from './arbitraries.ts';
import { print } from './print.ts';

test('what is printed parses to an equal filter, also through JSON text', () => {
  fc.assert(
    fc.property(filterArbitrary, (filter) => {
      assert.deepEqual(parsed(print(filter)), filter);
      assert.deepEqual(parsed(JSON.parse(JSON.stringify(print(filter)))), filter);
    }),
    { numRuns: 2000 },
  );
});

test('what is printed once prints the same again', () => {
  fc.assert(
    fc.property(filterArbitrary, (filter) => {
      assert.deepEqual(print(parsed(print(filter))), print(filter));
    }),
  );
});

test('every kind of filter has one canonical form', () => {
  const forms: readonly (readonly [unknown, unknown])[] = [
    [{}, {}],
    [{ and: [] }, {}],
    [{ or: [] }, { or: [] }],
    [{ a: null }, { a: { eq: null } }],
    [{ a: { eq: -0 } }, { a: { eq: 0 } }],
    [{ a: { gt: 1, lt: 2 } }, { and: [{ a: { gt: 1 } }, { a: { lt: 2 } }] }],
    [
      { a: { ne: 1 }, search: 'x', not: { 'b.c': { in: [1, 'x'] } } },
      { and: [{ a: { ne: 1 } }, { search: 'x' }, { not: { 'b.c': { in: [1, 'x'] } } }] },
    ],
    [{ and: [{ a: { like: 'x%' } }] }, { and: [{ a: { like: 'x%' } }] }],
    [{ a: { tp: 'array' } }, { a: { tp: 'array' } }],
  ];
  for (const [json, canonical] of forms) {
    assert.deepEqual(print(parsed(json)), canonical);
  }
});

test('a field named __proto__ is printed as an own member', () => {
  const printed = print(parsed(JSON.parse('{"__proto__": {"eq": 1}}')));
  assert.equal(JSON.stringify(printed), '{"__proto__":{"eq":1}}');
  assert.equal(Object.getPrototypeOf(printed), Object.prototype);
});

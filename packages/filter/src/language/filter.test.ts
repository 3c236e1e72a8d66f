import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterArbitrary, parsed } from '../../tests/arbitraries.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { recordWith } from '../../tests/sample-record.ts';
import { evaluate } from '../evaluate/evaluate.ts';
import { all, matchAll, print } from './filter.ts';
import { limits } from './limits.ts';
import { parse } from './parse.ts';

test('all() without arguments returns matchAll', () => {
  assert.deepEqual(all(), matchAll);
  assert.deepEqual(all(matchAll, matchAll), matchAll);
  assert.deepEqual(parsed({}), matchAll);
});

test('all() with one filter returns an equal filter', () => {
  const filter = parsed({ a: { eq: 1 } });
  assert.deepEqual(all(filter), filter);
  assert.deepEqual(all(matchAll, filter), filter);
});

test('all() with several filters returns a filter that requires all of them to match', () => {
  const both = all(parsed({ a: { eq: 1 } }), parsed({ b: { eq: 2 } }));
  assert.equal(evaluate(both, recordWith({ a: 1, b: 2 })), true);
  assert.equal(evaluate(both, recordWith({ a: 1 })), false);
  assert.equal(evaluate(both, recordWith({ b: 2 })), false);
});

test('the result of all() can exceed the limits of a single filter', () => {
  const half = parsed({ and: Array.from({ length: 500 }, () => ({ a: { eq: 1 } })) });
  const joined = all(half, half);
  assert.equal(evaluate(joined, recordWith({ a: 1 })), true);
  assert.equal(evaluate(joined, recordWith({ a: 2 })), false);
  assert.equal(parse(print(joined)).ok, false);
});

test('repeated calls of all() do not increase the depth', () => {
  let filter = parsed({ or: [{ a: { eq: 1 } }] });
  for (let round = 0; round < 1000; round += 1) filter = all(filter, parsed({ a: { eq: 1 } }));
  assert.equal(evaluate(filter, recordWith({ a: 1 })), true);
  assert.ok(JSON.stringify(filter).split('"members"').length < limits.depth);
});

test('a parsed filter is deeply frozen', () => {
  const filter = parsed({ or: [{ 'a.b': { in: [1, 2] } }] });
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  assert.ok(isFrozen(filter));
  assert.ok(isFrozen(all(filter, filter)));
  assert.ok(isFrozen(matchAll));
});

test('changing the parsed JSON afterwards does not change the filter', () => {
  const values = ['a'];
  const filter = parsed({ x: { in: values } });
  values.push('b');
  assert.equal(evaluate(filter, recordWith({ x: 'b' })), false);
});

test('parsing a printed filter returns an equal filter, even after JSON serialization', () => {
  fc.assert(
    fc.property(filterArbitrary, (filter) => {
      assert.deepEqual(parsed(print(filter)), filter);
      assert.deepEqual(parsed(JSON.parse(JSON.stringify(print(filter)))), filter);
    }),
    { numRuns: roundsOf(400, 2000) },
  );
});

test('printing, parsing and printing again returns the same JSON', () => {
  fc.assert(
    fc.property(filterArbitrary, (filter) => {
      assert.deepEqual(print(parsed(print(filter))), print(filter));
    }),
  );
});

test('prints the canonical form of every kind of filter', () => {
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

test('prints a field named __proto__ as an own property', () => {
  const printed = print(parsed(JSON.parse('{"__proto__": {"eq": 1}}')));
  assert.equal(JSON.stringify(printed), '{"__proto__":{"eq":1}}');
  assert.equal(Object.getPrototypeOf(printed), Object.prototype);
});

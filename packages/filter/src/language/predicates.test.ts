import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actualValue } from '../evaluate/actual.ts';
import { print } from './filter.ts';
import type { JsonObject } from './json.ts';
import { predicatesOf } from './predicates.ts';

const shown = (json: JsonObject) =>
  predicatesOf(json).map(({ pointer, filter }) => [pointer, print(filter)]);

test('the predicates of a filter have the order of its members and JSON pointers as places', () => {
  assert.deepEqual(
    shown({
      team: { eq: 'a', ne: 'b' },
      and: [{ 'acl.group': { in: ['x'] } }, { or: [{ level: null }, { search: 'x' }] }],
      not: { 'a/b~c': { gt: 1 } },
    }),
    [
      ['/team/eq', { team: { eq: 'a' } }],
      ['/team/ne', { team: { ne: 'b' } }],
      ['/and/0/acl.group/in', { 'acl.group': { in: ['x'] } }],
      ['/and/1/or/0/level', { level: { eq: null } }],
      ['/and/1/or/1/search', { search: 'x' }],
      ['/not/a~1b~0c/gt', { 'a/b~c': { gt: 1 } }],
    ],
  );
});

test('filters without predicates have none', () => {
  for (const json of [{}, { and: [] }, { or: [{}, { not: {} }] }])
    assert.deepEqual(shown(json), []);
});

test('a field named __proto__ is a field', () => {
  const json = JSON.parse('{"__proto__":{"eq":1}}') as JsonObject;
  assert.deepEqual(
    predicatesOf(json).map(({ pointer }) => pointer),
    ['/__proto__/eq'],
  );
});

test('an invalid filter throws an error', () => {
  for (const json of [{ team: 'a' }, { and: {} }, { team: { gtt: 1 } }, { not: [] }, []])
    assert.throws(() => predicatesOf(json), TypeError, JSON.stringify(json));
});

test('the actual value of a predicate is the value of its field', () => {
  const record = {
    fileName: 'Plan.txt',
    mimeType: 'text/plain',
    language: null,
    createdAt: '2026-10-18T09:30:00.000Z',
    updatedAt: '2026-10-18T09:30:00.000Z',
    metadata: { team: ['a', 'plan b'], acl: [{ group: 'x' }, { group: ['y'] }], note: null },
  };
  const actual = (json: JsonObject) =>
    predicatesOf(json).map(({ filter }) => actualValue(filter, record));
  assert.deepEqual(actual({ team: { eq: 'c' } }), [['a', 'plan b']]);
  assert.deepEqual(actual({ 'acl.group': { eq: 'c' } }), [['x', 'y']]);
  assert.deepEqual(actual({ note: null, missing: null }), [null, undefined]);
  assert.deepEqual(actual({ fileName: { like: '%' }, language: null }), ['Plan.txt', null]);
  assert.deepEqual(actual({ search: 'plan' }), [['Plan.txt', 'plan b']]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate, type JsonObject, matchAll, print } from '@gatehouse/filter';
import { filtersOf } from './link-filters.rules.ts';

const record = (metadata: JsonObject) => ({
  fileName: 'a.txt',
  mimeType: 'text/plain',
  language: null,
  createdAt: '2026-10-18T09:30:00.000Z',
  updatedAt: '2026-10-18T09:30:00.000Z',
  metadata,
});
const narrowing = (filter: Record<string, unknown>) => print(filtersOf({ filter }, null).filter);

test('a link without filters matches all documents of the space', () => {
  assert.deepEqual(filtersOf({}, null), {
    spaceFilter: matchAll,
    storedSpaceFilter: null,
    permissionFilter: matchAll,
    filter: matchAll,
  });
});

test('a stored space filter is parsed, and one that is not in the filter language throws an error', () => {
  const stored = '{"team":{"eq":"a"}}';
  assert.deepEqual(print(filtersOf({}, stored).spaceFilter), { team: { eq: 'a' } });
  for (const broken of ['{"team":"a"}', '[]', 'null', '{'])
    assert.throws(() => filtersOf({}, broken));
});

test('a permission filter that is not in the filter language throws an error', () => {
  const { permissionFilter } = filtersOf({ permissionFilter: { team: { eq: 'a' } } }, null);
  assert.deepEqual(print(permissionFilter), { team: { eq: 'a' } });
  assert.throws(() => filtersOf({ permissionFilter: { team: 'a' } }, null));
});

test('in the filter a plain value means equality, and a list means alternatives', () => {
  assert.deepEqual(narrowing({ team: 'a' }), { team: { eq: 'a' } });
  assert.deepEqual(narrowing({ level: 3 }), { level: { eq: 3 } });
  assert.deepEqual(narrowing({ team: ['a', 'b'] }), { team: { in: ['a', 'b'] } });
  assert.deepEqual(
    narrowing({ team: null }),
    print(filtersOf({ filter: { team: { eq: null } } }, null).filter),
  );
});

test('filter language members and plain members are combined with AND', () => {
  const { filter } = filtersOf({ filter: { team: 'a', not: { level: { gt: 3 } } } }, null);
  assert.equal(evaluate(filter, record({ team: 'a', level: 2 })), true);
  assert.equal(evaluate(filter, record({ team: 'a', level: 4 })), false);
  assert.equal(evaluate(filter, record({ team: 'b', level: 2 })), false);
});

test('filter members that are neither plain values nor filter language are ignored', () => {
  assert.deepEqual(narrowing({ team: { near: 'a' }, or: 3, '': 'x', list: [['a']] }), {});
  for (const value of [null, 'a', ['a'], 3]) assert.deepEqual(narrowing({ not: value }), {});
  assert.deepEqual(narrowing({ __proto__: 'a', team: 'a' }), { team: { eq: 'a' } });
});

test('a filter with an empty list as a member matches nothing', () => {
  assert.equal(evaluate(filtersOf({ filter: { team: [] } }, null).filter, record({})), false);
});

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
const narrowing = (filter: Record<string, unknown>) => print(filtersOf({ filter }).filter);

test('a link without filters sees all of its space', () => {
  assert.deepEqual(filtersOf({}), { permissionFilter: matchAll, filter: matchAll });
});

test('the permission filter is read to the letter, and one that cannot be read opens nothing', () => {
  const { permissionFilter } = filtersOf({ permissionFilter: { team: { eq: 'a' } } });
  assert.deepEqual(print(permissionFilter), { team: { eq: 'a' } });
  assert.throws(() => filtersOf({ permissionFilter: { team: 'a' } }));
});

test('a plain value in the filter means equality, and a list any of them', () => {
  assert.deepEqual(narrowing({ team: 'a' }), { team: { eq: 'a' } });
  assert.deepEqual(narrowing({ level: 3 }), { level: { eq: 3 } });
  assert.deepEqual(narrowing({ team: ['a', 'b'] }), { team: { in: ['a', 'b'] } });
  assert.deepEqual(
    narrowing({ team: null }),
    print(filtersOf({ filter: { team: { eq: null } } }).filter),
  );
});

test('members of the filter language narrow together with plain ones', () => {
  const { filter } = filtersOf({ filter: { team: 'a', not: { level: { gt: 3 } } } });
  assert.equal(evaluate(filter, record({ team: 'a', level: 2 })), true);
  assert.equal(evaluate(filter, record({ team: 'a', level: 4 })), false);
  assert.equal(evaluate(filter, record({ team: 'b', level: 2 })), false);
});

test('a member that means nothing narrows nothing', () => {
  assert.deepEqual(narrowing({ team: { near: 'a' }, or: 3, '': 'x', list: [['a']] }), {});
  assert.deepEqual(narrowing({ __proto__: 'a', team: 'a' }), { team: { eq: 'a' } });
});

test('an empty list hides all, since nothing is any of its values', () => {
  assert.equal(evaluate(filtersOf({ filter: { team: [] } }).filter, record({})), false);
});

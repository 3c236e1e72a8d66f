import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifier, sql, withNumbers, withQuestionMarks } from './fragment.ts';

test('binds values and inserts fragments with their values in order', () => {
  const inner = sql`b = ${2} AND c = ${"'; DROP TABLE d"}`;
  const outer = sql`a = ${'one'} AND (${inner}) AND e = ${5}`;
  assert.deepEqual([...outer.parts], ['a = ', ' AND (b = ', ' AND c = ', ') AND e = ', '']);
  assert.deepEqual(outer.values, ['one', 2, "'; DROP TABLE d", 5]);
});

test('formats a fragment with `?` or with numbered parameters', () => {
  const fragment = sql`a = ${1} AND b = ${2}`;
  assert.equal(withQuestionMarks(fragment), 'a = ? AND b = ?');
  assert.equal(withNumbers(fragment), 'a = $1 AND b = $2');
  assert.equal(withNumbers(fragment, 9), 'a = $9 AND b = $10');
  assert.equal(withNumbers(sql`TRUE`, 3), 'TRUE');
});

test('the members of a fragment can be passed to a template tag', () => {
  const { parts, values } = sql`a = ${1} AND ${sql`b = ${'x'}`}`;
  assert.deepEqual(sql(parts, ...values), { parts, values });
  assert.deepEqual(parts.raw, [...parts]);
});

test('rejects an identifier with characters other than lower-case letters, digits and underscores', () => {
  assert.deepEqual([...identifier('document_values2').parts], ['document_values2']);
  for (const name of ['', 'a b', 'a;', 'a"', '2a', 'A', 'a.b', 'é', 'a\n']) {
    assert.throws(() => identifier(name), TypeError);
  }
});

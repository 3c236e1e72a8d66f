import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifier, sql, withNumbers, withQuestionMarks } from './fragment.ts';

test('a value is bound, a fragment is spliced in with its values in order', () => {
  const inner = sql`b = ${2} AND c = ${"'; DROP TABLE d"}`;
  const outer = sql`a = ${'one'} AND (${inner}) AND e = ${5}`;
  assert.deepEqual([...outer.parts], ['a = ', ' AND (b = ', ' AND c = ', ') AND e = ', '']);
  assert.deepEqual(outer.values, ['one', 2, "'; DROP TABLE d", 5]);
});

test('a fragment is written with question marks or with numbers from any first one', () => {
  const fragment = sql`a = ${1} AND b = ${2}`;
  assert.equal(withQuestionMarks(fragment), 'a = ? AND b = ?');
  assert.equal(withNumbers(fragment), 'a = $1 AND b = $2');
  assert.equal(withNumbers(fragment, 9), 'a = $9 AND b = $10');
  assert.equal(withNumbers(sql`TRUE`, 3), 'TRUE');
});

test('a fragment has the arguments of a template’s tag', () => {
  const { parts, values } = sql`a = ${1} AND ${sql`b = ${'x'}`}`;
  assert.deepEqual(sql(parts, ...values), { parts, values });
  assert.deepEqual(parts.raw, [...parts]);
});

test('an identifier is lower-case letters, digits and underscores', () => {
  assert.deepEqual([...identifier('document_values2').parts], ['document_values2']);
  for (const name of ['', 'a b', 'a;', 'a"', '2a', 'A', 'a.b', 'é', 'a\n']) {
    assert.throws(() => identifier(name), TypeError);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldTypes, operators } from './ast.ts';
import { nearestName } from './nearest-name.ts';

test('a misspelt name leads to the known one', () => {
  for (const [written, known] of [
    ['EQ', 'eq'],
    ['$gte', 'gte'],
    ['gtee', 'gte'],
    ['liek', 'like'],
    ['lik', 'like'],
  ] as const) {
    assert.equal(nearestName(written, operators), known, written);
  }
  assert.equal(nearestName('Bolean', fieldTypes), 'boolean');
  assert.equal(nearestName('undefined', fieldTypes), undefined);
});

test('a name that is far from all known ones leads nowhere', () => {
  for (const written of ['', '$', 'regex', 'price', 'x', 'l'.repeat(1_000_000)]) {
    assert.equal(nearestName(written, operators), undefined, written.slice(0, 9));
  }
});

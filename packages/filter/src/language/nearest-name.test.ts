import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldTypes, operators } from './ast.ts';
import { nearestName } from './nearest-name.ts';

test('finds the known name that a misspelled name means', () => {
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

test('returns undefined for a name that is not close to any known name', () => {
  for (const written of ['', '$', 'regex', 'price', 'x', 'l'.repeat(1_000_000)]) {
    assert.equal(nearestName(written, operators), undefined, written.slice(0, 9));
  }
});

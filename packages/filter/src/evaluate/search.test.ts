import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../../tests/arbitraries.ts';
import { recordWith } from '../../tests/sample-record.ts';
import type { JsonObject, JsonValue } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const found = (search: string, metadata: JsonObject = {}) =>
  evaluate(parsed({ search }), recordWith(metadata));

test('search finds any part of the file name, ignoring case', () => {
  assert.equal(found('policy'), true);
  assert.equal(found('TRAVEL POL'), true);
  assert.equal(found('expenses'), false);
});

test('search finds metadata strings at any depth, in objects and arrays', () => {
  assert.equal(found('berlin', { city: 'Berlin' }), true);
  assert.equal(found('berlin', { a: { b: [{ c: ['x', 'East Berlin'] }] } }), true);
});

test('search ignores keys, numbers, booleans and null', () => {
  assert.equal(found('city', { city: 'Berlin' }), false);
  assert.equal(found('42', { a: 42 }), false);
  assert.equal(found('true', { a: true }), false);
  assert.equal(found('null', { a: null }), false);
});

test('search ignores all document fields except the file name', () => {
  assert.equal(found('application'), false);
  assert.equal(found('2026'), false);
});

test('search does not find text that spans two strings', () => {
  assert.equal(found('ab', { list: ['a', 'b'] }), false);
});

test('search treats wildcard characters as literal text', () => {
  assert.equal(found('y.pdf'), true);
  assert.equal(found('y%pdf'), false);
  assert.equal(found('100%', { a: 'at 100%' }), true);
});

test('search does not trim the search text', () => {
  assert.equal(found(' policy'), true);
  assert.equal(found('policy '), false);
});

test('search folds case by Unicode rules', () => {
  assert.equal(found('οδός', { a: 'ΟΔΌΣ' }), true);
});

test('search does not overflow the stack for deeply nested metadata', () => {
  let nested: JsonValue = 'Needle';
  for (let level = 0; level < 1_000_000; level += 1) nested = [nested];
  assert.equal(found('needle', { nested }), true);
  assert.equal(found('thread', { nested }), false);
});

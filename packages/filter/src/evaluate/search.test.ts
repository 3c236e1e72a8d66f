import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../../tests/arbitraries.ts';
import { recordWith } from '../../tests/sample-record.ts';
import type { JsonObject, JsonValue } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const found = (search: string, metadata: JsonObject = {}) =>
  evaluate(parsed({ search }), recordWith(metadata));

test('search finds a part of the file name, letter case aside', () => {
  assert.equal(found('policy'), true);
  assert.equal(found('TRAVEL POL'), true);
  assert.equal(found('expenses'), false);
});

test('search finds strings of the metadata at any depth, in objects and arrays', () => {
  assert.equal(found('berlin', { city: 'Berlin' }), true);
  assert.equal(found('berlin', { a: { b: [{ c: ['x', 'East Berlin'] }] } }), true);
});

test('search looks at values, not at keys, numbers, booleans or null', () => {
  assert.equal(found('city', { city: 'Berlin' }), false);
  assert.equal(found('42', { a: 42 }), false);
  assert.equal(found('true', { a: true }), false);
  assert.equal(found('null', { a: null }), false);
});

test('search looks at no other field of the document', () => {
  assert.equal(found('application'), false);
  assert.equal(found('2026'), false);
});

test('search does not find a text that spans two strings', () => {
  assert.equal(found('ab', { list: ['a', 'b'] }), false);
});

test('search takes placeholders inside a text as they are', () => {
  assert.equal(found('y.pdf'), true);
  assert.equal(found('y%pdf'), false);
  assert.equal(found('100%', { a: 'at 100%' }), true);
});

test('search keeps the spaces around a text', () => {
  assert.equal(found(' policy'), true);
  assert.equal(found('policy '), false);
});

test('search compares in lower case as Unicode has it', () => {
  assert.equal(found('οδός', { a: 'ΟΔΌΣ' }), true);
});

test('search goes through metadata that is nested deeper than the stack', () => {
  let nested: JsonValue = 'Needle';
  for (let level = 0; level < 1_000_000; level += 1) nested = [nested];
  assert.equal(found('needle', { nested }), true);
  assert.equal(found('thread', { nested }), false);
});

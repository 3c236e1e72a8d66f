import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../../tests/arbitraries.ts';
import { recordWith } from '../../tests/sample-record.ts';
import type { JsonObject } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const typeOf = (name: string, metadata: JsonObject, tp: string) =>
  evaluate(parsed(JSON.parse(`{${JSON.stringify(name)}: {"tp": "${tp}"}}`)), recordWith(metadata));

test('a dotted name selects a field of nested metadata', () => {
  assert.equal(typeOf('a.b.c', { a: { b: { c: 1 } } }, 'number'), true);
  assert.equal(typeOf('a.b', { a: { b: { c: 1 } } }, 'object'), true);
  assert.equal(typeOf('a.b', { a: { b: null } }, 'null'), true);
});

test('a field is absent if its path leads only through scalars, nulls and missing keys', () => {
  for (const a of ['text', 1, true, null, {}, [], ['x'], [null, 1, [[]]], [{}, { c: 1 }]]) {
    assert.equal(typeOf('a.b', { a }, 'absent'), true, JSON.stringify(a));
  }
  assert.equal(typeOf('a.b', {}, 'absent'), true);
});

test('a number in a path is a key, never the position of an array element or a character', () => {
  assert.equal(typeOf('a.0', { a: ['x'] }, 'absent'), true);
  assert.equal(typeOf('a.length', { a: ['x'] }, 'absent'), true);
  assert.equal(typeOf('a.0', { a: 'x' }, 'absent'), true);
  assert.equal(typeOf('a.length', { a: 'x' }, 'absent'), true);
  assert.equal(typeOf('a.0', { a: { 0: 'x' } }, 'string'), true);
  assert.equal(typeOf('a.0', { a: [{ 0: 'x' }] }, 'string'), true);
  assert.equal(typeOf('a.0.b', { a: [{ b: 'x' }] }, 'absent'), true);
});

test('a dotted name does not select a key that contains a dot', () => {
  assert.equal(typeOf('a.b', { 'a.b': 1 }, 'absent'), true);
  assert.equal(typeOf('a.b', { 'a.b': 1, a: { b: 'x' } }, 'string'), true);
});

test('a field with the name of an inherited property is absent unless the metadata has this key', () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'a.constructor']) {
    assert.equal(typeOf(name, { a: {} }, 'absent'), true, name);
  }
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    const metadata: JsonObject = JSON.parse(`{"${name}": "x", "a": {"${name}": 1}}`);
    assert.equal(typeOf(name, metadata, 'string'), true, name);
    assert.equal(typeOf(`a.${name}`, metadata, 'number'), true, name);
  }
});

test('nested keys of the metadata can have reserved names', () => {
  assert.equal(typeOf('a.not', { a: { not: 1 } }, 'number'), true);
  assert.equal(typeOf('a.fileName', { a: { fileName: 'x' } }, 'string'), true);
});

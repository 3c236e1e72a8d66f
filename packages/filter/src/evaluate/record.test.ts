import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../../tests/arbitraries.ts';
import { recordWith } from '../../tests/sample-record.ts';
import type { JsonObject } from '../language/json.ts';
import { evaluate } from './evaluate.ts';

const typeOf = (name: string, metadata: JsonObject, tp: string) =>
  evaluate(parsed(JSON.parse(`{${JSON.stringify(name)}: {"tp": "${tp}"}}`)), recordWith(metadata));

test('a dotted name reaches into nested metadata', () => {
  assert.equal(typeOf('a.b.c', { a: { b: { c: 1 } } }, 'number'), true);
  assert.equal(typeOf('a.b', { a: { b: { c: 1 } } }, 'object'), true);
  assert.equal(typeOf('a.b', { a: { b: null } }, 'null'), true);
});

test('a path through a scalar, null, an array or nothing ends absent', () => {
  for (const a of ['text', 1, true, null, ['x'], [{ b: 1 }], {}]) {
    assert.equal(typeOf('a.b', { a }, 'absent'), true, JSON.stringify(a));
  }
  assert.equal(typeOf('a.b', {}, 'absent'), true);
});

test('array elements and string characters have no names', () => {
  assert.equal(typeOf('a.0', { a: ['x'] }, 'absent'), true);
  assert.equal(typeOf('a.length', { a: ['x'] }, 'absent'), true);
  assert.equal(typeOf('a.0', { a: 'x' }, 'absent'), true);
  assert.equal(typeOf('a.length', { a: 'x' }, 'absent'), true);
  assert.equal(typeOf('a.0', { a: { 0: 'x' } }, 'string'), true);
});

test('a key that has a dot in it is not reached by a dotted name', () => {
  assert.equal(typeOf('a.b', { 'a.b': 1 }, 'absent'), true);
  assert.equal(typeOf('a.b', { 'a.b': 1, a: { b: 'x' } }, 'string'), true);
});

test('what every object inherits is absent until it is an own key', () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'a.constructor']) {
    assert.equal(typeOf(name, { a: {} }, 'absent'), true, name);
  }
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    const metadata: JsonObject = JSON.parse(`{"${name}": "x", "a": {"${name}": 1}}`);
    assert.equal(typeOf(name, metadata, 'string'), true, name);
    assert.equal(typeOf(`a.${name}`, metadata, 'number'), true, name);
  }
});

test('members of connective names are reached below the top of the metadata', () => {
  assert.equal(typeOf('a.not', { a: { not: 1 } }, 'number'), true);
  assert.equal(typeOf('a.fileName', { a: { fileName: 'x' } }, 'string'), true);
});

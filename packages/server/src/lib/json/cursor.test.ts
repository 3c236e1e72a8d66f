import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { writtenJson } from './arbitraries.ts';
import { JsonCursor, textAt } from './cursor.ts';
import { parse } from './parse.ts';

/** Rebuilds a value by walking its text, parsing only names and scalars. */
function walk(cursor: JsonCursor): unknown {
  const { bytes, at: start } = cursor;
  const first = String.fromCharCode(bytes[start] ?? 0);
  if (first === '{') {
    const entries: [string, unknown][] = [];
    cursor.enter();
    while (cursor.nextMember()) entries.push([cursor.name(), walk(cursor)]);
    return Object.fromEntries(entries);
  }
  if (first === '[') {
    const elements: unknown[] = [];
    cursor.enter();
    while (cursor.nextElement()) elements.push(walk(cursor));
    return elements;
  }
  cursor.skip();
  return JSON.parse(textAt(bytes, start, cursor.at));
}

test('iterating over a JSON text yields the same value as parsing', () => {
  fc.assert(
    fc.property(writtenJson, ({ text, value }) => {
      assert.deepEqual(walk(new JsonCursor(Buffer.from(text))), value);
    }),
    { numRuns: roundsOf(200, 1000) },
  );
});

test('reports the exact byte offsets of member names and values', () => {
  fc.assert(
    fc.property(writtenJson, ({ text, value: whole }) => {
      const bytes = Buffer.from(text);
      const cursor = new JsonCursor(bytes);
      if (bytes[cursor.at] !== 0x7b) return;
      const entries: [string, unknown][] = [];
      cursor.enter();
      while (cursor.nextMember()) {
        const name = textAt(bytes, cursor.nameStart, cursor.nameEnd);
        assert.equal(cursor.nameEscaped, name.includes('\\'));
        const start = cursor.at;
        cursor.skip();
        const value = textAt(bytes, start, cursor.at);
        assert.equal(value, value.trim());
        entries.push([JSON.parse(name), parse(value)]);
      }
      assert.deepEqual(Object.fromEntries(entries), whole);
      assert.equal(textAt(bytes, cursor.at, bytes.length).trim(), '');
    }),
    { numRuns: roundsOf(200, 1000) },
  );
});

test('reports the comma before each member and element except the first', () => {
  const bytes = Buffer.from('{"ä":1 , "b":[ true,"x" ]}');
  const cursor = new JsonCursor(bytes);
  cursor.enter();
  cursor.nextMember();
  assert.equal(cursor.comma, -1);
  cursor.skip();
  cursor.nextMember();
  assert.equal(cursor.comma, bytes.indexOf(','));
  cursor.enter();
  cursor.nextElement();
  assert.equal(cursor.comma, -1);
  cursor.skip();
  cursor.nextElement();
  assert.equal(cursor.comma, bytes.lastIndexOf(','));
});

test('skips a value with four million levels and reports its depth', () => {
  const cursor = new JsonCursor(Buffer.from('['.repeat(4_000_000) + ']'.repeat(4_000_000)));
  cursor.skip();
  assert.equal(cursor.at, 8_000_000);
  assert.equal(cursor.deepest, 4_000_000);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { writtenJson } from './arbitraries.ts';
import { parse } from './parse.ts';

/** Makes V8 expect the name `\` after `member`. Any earlier request could have the same effect. */
function expectBackslashBehind(member: string): void {
  JSON.parse(`{"${member}":[],"\\\\":0}`);
}

test('parses an escaped name independently of earlier texts', () => {
  for (const [written, name] of [
    ['\\"', '"'],
    ['\\n', '\n'],
    ['\\u0061uth', 'auth'],
    ['\\u0065\\u0071', 'eq'],
    ['\\\\', '\\'],
  ]) {
    expectBackslashBehind('before');
    const text = `{"before":1,"${written}":2}`;
    assert.deepEqual(Object.entries(parse(text) as object), [
      ['before', 1],
      [name, 2],
    ]);
  }
});

test('parses a longer escaped name independently of earlier texts', () => {
  JSON.parse('{"before":[],"ext\\\\\\"":0}');
  assert.deepEqual(parse('{"before":1,"ext\\"}":2}'), { before: 1, 'ext"}': 2 });
  JSON.parse('{"before":[],"\\\\u00":0}');
  assert.deepEqual(parse('{"before":1,"\\u0061uth" \n:2}'), { before: 1, auth: 2 });
});

test('parses any JSON text to its value', () => {
  fc.assert(
    fc.property(writtenJson, ({ text, value }) => assert.deepEqual(parse(text), value)),
    { numRuns: roundsOf(400, 2000) },
  );
});

test('orders members like JSON.parse', () => {
  const text = '{"b":1,"\\u0061":2,"10":3,"2":4,"b":5}';
  assert.deepEqual(Object.keys(parse(text) as object), ['2', '10', 'b', 'a']);
});

test('treats __proto__ as an ordinary member', () => {
  for (const name of ['__proto__', '__pr\\u006fto__']) {
    const value = parse(`{"${name}":{"admin":true}}`) as { admin?: unknown };
    assert.deepEqual(Object.keys(value), ['__proto__']);
    assert.equal(value.admin, undefined);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

test('throws a SyntaxError for invalid JSON', () => {
  for (const text of ['', '{"\\u0061":}', '{"\\u00":1}', '["\\"]', '{"a\\":1}']) {
    assert.throws(() => parse(text), SyntaxError);
  }
});

test('parses an escaped name at a depth of 100,000 levels', () => {
  const depth = 100_000;
  const text = `${'['.repeat(depth)}{"\\u0061":1}${']'.repeat(depth)}`;
  let value = parse(text);
  while (Array.isArray(value)) value = value[0];
  assert.deepEqual(value, { a: 1 });
});

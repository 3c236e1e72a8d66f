import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { processorMs } from '../../../tests/support/processor-ms.ts';
import { jsonText, writtenJson } from '../../lib/json/arbitraries.ts';
import { shownName } from '../../lib/json/index.ts';
import {
  MAX_BODY_DEPTH,
  MAX_BODY_VALUES,
  parseJson,
  readJson,
  readJsonMember,
  readText,
} from './json-body.ts';

function rejection(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, 400);
    assert.equal(error.code, 'http.malformed-json');
    return error;
  }
  throw new assert.AssertionError({ message: 'the body was accepted' });
}

const rejectionOf = (text: string) => rejection(() => readJson(Buffer.from(text)));
const messages = (error: ApiError) => error.issues?.map((issue) => issue.message);

test('reports an empty body', () => {
  assert.match(rejectionOf('').message, /body is empty/);
});

test('rejects a byte order mark', () => {
  assert.match(rejectionOf('\ufeff{}').message, /byte order mark/);
});

test('rejects invalid UTF-8 and reports its position', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xe2, 0x82],
  ]) {
    assert.match(
      rejection(() => readText(Uint8Array.from(bytes))).message,
      /not valid UTF-8, near byte 1\./,
    );
  }
  assert.equal(readText(Buffer.from('"\ufffd"')), '"\ufffd"');
});

test('reads a body from a slice of a larger buffer', () => {
  const pool = Buffer.from('xx{"ä":1}yy');
  assert.deepEqual(readJson(pool.subarray(2, pool.length - 2)), { ä: 1 });
});

test('reports the position of a syntax error without quoting the body', () => {
  const error = rejectionOf('{"password":"hunter2",\n"key":hunter3}');
  assert.equal(
    error.message,
    'The body is not valid JSON: a value is expected at line 2, column 7.',
  );
  assert.doesNotMatch(JSON.stringify(error.toBody()), /hunter/);
});

test('rejects a body that is truncated after any number of bytes', () => {
  const body = Buffer.from('{"sub":"Größe \\ud83d\\ude00","n":[1.5e3,true,null,{"a":{}}]}');
  for (let end = 0; end < body.length; end++) rejection(() => readJson(body.subarray(0, end)));
  readJson(body);
});

test('rejects duplicate member names at any depth and reports their paths', () => {
  const error = rejectionOf(
    '{"a":1,"\\u0061":2,"a":3,"b":[{"c":{"x":1,"y":2,"x":3}}],"b":[],"":{"":1,"":2}}',
  );
  assert.deepEqual(messages(error), [
    'a: is given twice',
    'b[0].c.x: is given twice',
    'b: is given twice',
    '""."": is given twice',
  ]);
  assert.deepEqual(messages(rejectionOf('{"permissionFilter":{},"permissionFilter":{}}')), [
    'permissionFilter: is given twice',
  ]);
});

test('applies the same rules to JSON inside a body, and starts each issue with the containing member', () => {
  const issues = (text: string) => {
    const read = readJsonMember(text, 'metadata');
    return read.ok ? null : read.issues.map((issue) => issue.message);
  };
  assert.deepEqual(readJsonMember('{"team":"ä"}', 'metadata'), { ok: true, value: { team: 'ä' } });
  assert.deepEqual(issues('{"key":hunter3}'), [
    'metadata: is not valid JSON: a value is expected at line 1, column 8',
  ]);
  assert.deepEqual(issues('{"a":[{"b":1,"b":2}],"a":0}'), [
    'metadata.a[0].b: is given twice',
    'metadata.a: is given twice',
  ]);
  assert.deepEqual(issues('['.repeat(MAX_BODY_DEPTH + 1)), [
    'metadata: is nested deeper than 100 levels',
  ]);
});

test('accepts a member name that also occurs in other objects or in strings', () => {
  const text = '[{"a":1},{"a":{"a":"\\"a\\":1,\\"a\\":2"}},":::"]';
  assert.deepEqual(readJson(Buffer.from(text)), JSON.parse(text));
});

test(`accepts bodies with up to ${MAX_BODY_VALUES} members and elements`, () => {
  const members = Array.from({ length: MAX_BODY_VALUES / 2 }, (_, index) => `"m${index}":0`);
  const half = `{${members.join()}}`;
  readJson(Buffer.from(`[${half},${half},0]`));
  readJson(Buffer.from(`["${','.repeat(MAX_BODY_VALUES + 1)}"]`));
  for (const text of [`[${half},${half},0,0]`, `[${'0,'.repeat(MAX_BODY_VALUES + 1)}0]`])
    assert.match(rejectionOf(text).message, /has more than 50000 members and elements/);
});

test('reports at most 100 duplicate names', () => {
  const members = Array.from({ length: MAX_BODY_VALUES }, (_, index) => `"m${index >> 1}":0`);
  assert.equal(messages(rejectionOf(`{${members.join()}}`))?.length, 100);
});

test('treats __proto__ as an ordinary member', () => {
  const value = readJson(Buffer.from('{"__proto__":{"admin":true}}'));
  assert.deepEqual(Object.keys(value as object), ['__proto__']);
  assert.equal((value as { admin?: unknown }).admin, undefined);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(messages(rejectionOf('{"__proto__":1,"__proto__":2}')), [
    '__proto__: is given twice',
  ]);
});

test(`accepts bodies that are nested up to ${MAX_BODY_DEPTH} levels deep`, () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  readJson(Buffer.from(nested(MAX_BODY_DEPTH)));
  assert.match(rejectionOf(nested(MAX_BODY_DEPTH + 1)).message, /deeper than 100 levels/);
  readJson(Buffer.from(`["${'['.repeat(1000)}"]`));
});

test('rejects a body of millions of brackets with 500 ms of processor time', () => {
  for (const text of [
    '['.repeat(4_000_000),
    '{"a":'.repeat(1_000_000),
    '['.repeat(4_000_000) + ']'.repeat(4_000_000),
  ]) {
    const start = processorMs();
    rejectionOf(text);
    assert.ok(processorMs() - start < 500);
  }
});

test('parses any JSON without duplicate names to the same value as JSON.parse', () => {
  fc.assert(
    fc.property(writtenJson, ({ text, value }) => {
      let read: unknown;
      try {
        read = readJson(Buffer.from(text));
      } catch {
        assert.ok(hasRepeats(text, value), 'only duplicate names are rejected');
        return;
      }
      assert.deepEqual(read, value);
      assert.ok(!hasRepeats(text, value));
    }),
    { numRuns: roundsOf(200, 1000) },
  );
});

test('rejects everything that JSON.parse rejects', () => {
  fc.assert(
    fc.property(
      jsonText,
      fc.nat(),
      fc.constantFrom(',', '"', '}', '[', '\\', 'x'),
      (text, place, inserted) => {
        const at = place % (text.length + 1);
        const damaged = text.slice(0, at) + inserted + text.slice(at);
        try {
          JSON.parse(damaged);
        } catch {
          rejectionOf(damaged);
          rejection(() => parseJson(damaged));
        }
      },
    ),
    { numRuns: roundsOf(200, 1000) },
  );
});

test('parses random bytes or rejects them with an ApiError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        readJson(bytes);
      } catch (error) {
        assert.ok(error instanceof ApiError);
      }
    }),
  );
});

test('quotes, escapes and truncates unusual member names in error messages', () => {
  assert.equal(shownName('ttlSeconds'), 'ttlSeconds');
  assert.equal(shownName('Größe in cm'), 'Größe in cm');
  assert.equal(shownName('a\u0000\ud800\u0085\u2028'), '"a\\u0000\\ud800\\u{85}\\u{2028}"');
  assert.equal(shownName('x'.repeat(1000)), `"${'x'.repeat(80)}…"`);
});

/** Reports whether a member name is duplicated. In that case there are more colons outside strings than parsed members. */
function hasRepeats(text: string, value: unknown): boolean {
  const colons = text.replace(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1;
  let members = 0;
  JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      members += Object.keys(inner).length;
    return inner;
  });
  return colons !== members;
}

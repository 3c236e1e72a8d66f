import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import fc from 'fast-check';
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

function refusal(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, 400);
    assert.equal(error.code, 'http.malformed-json');
    return error;
  }
  throw new assert.AssertionError({ message: 'it was not refused' });
}

const refuse = (text: string) => refusal(() => readJson(Buffer.from(text)));
const messages = (error: ApiError) => error.issues?.map((issue) => issue.message);

test('an empty body is told from a malformed one', () => {
  assert.match(refuse('').message, /body is empty/);
});

test('a byte order mark is refused', () => {
  assert.match(refuse('\ufeff{}').message, /byte order mark/);
});

test('invalid UTF-8 is refused with its place', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xe2, 0x82],
  ]) {
    assert.match(
      refusal(() => readText(Uint8Array.from(bytes))).message,
      /not valid UTF-8, near byte 1\./,
    );
  }
  assert.equal(readText(Buffer.from('"\ufffd"')), '"\ufffd"');
});

test('a body is read from within a larger buffer', () => {
  const pool = Buffer.from('xx{"ä":1}yy');
  assert.deepEqual(readJson(pool.subarray(2, pool.length - 2)), { ä: 1 });
});

test('the error says where the fault is and shows nothing of the body', () => {
  const error = refuse('{"password":"hunter2",\n"key":hunter3}');
  assert.equal(
    error.message,
    'The body is not valid JSON: a value is expected at line 2, column 7.',
  );
  assert.doesNotMatch(JSON.stringify(error.toBody()), /hunter/);
});

test('a body cut off at any byte is refused', () => {
  const body = Buffer.from('{"sub":"Größe \\ud83d\\ude00","n":[1.5e3,true,null,{"a":{}}]}');
  for (let end = 0; end < body.length; end++) refusal(() => readJson(body.subarray(0, end)));
  readJson(body);
});

test('a name given twice is refused with its path, wherever it stands', () => {
  const error = refuse(
    '{"a":1,"\\u0061":2,"a":3,"b":[{"c":{"x":1,"y":2,"x":3}}],"b":[],"":{"":1,"":2}}',
  );
  assert.deepEqual(messages(error), [
    'a: is given twice',
    'b[0].c.x: is given twice',
    'b: is given twice',
    '""."": is given twice',
  ]);
  assert.deepEqual(messages(refuse('{"permissionFilter":{},"permissionFilter":{}}')), [
    'permissionFilter: is given twice',
  ]);
});

test('JSON inside a body is read as strictly, and each issue names the member that holds it', () => {
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

test('the same name in two objects, or in a string, is no repetition', () => {
  const text = '[{"a":1},{"a":{"a":"\\"a\\":1,\\"a\\":2"}},":::"]';
  assert.deepEqual(readJson(Buffer.from(text)), JSON.parse(text));
});

test(`${MAX_BODY_VALUES} members and elements are read, and more are refused, whatever their strings hold`, () => {
  const members = Array.from({ length: MAX_BODY_VALUES / 2 }, (_, index) => `"m${index}":0`);
  const half = `{${members.join()}}`;
  readJson(Buffer.from(`[${half},${half},0]`));
  readJson(Buffer.from(`["${','.repeat(MAX_BODY_VALUES + 1)}"]`));
  for (const text of [`[${half},${half},0,0]`, `[${'0,'.repeat(MAX_BODY_VALUES + 1)}0]`])
    assert.match(refuse(text).message, /has more than 50000 members and elements/);
});

test('tens of thousands of repeated names give a hundred issues', () => {
  const members = Array.from({ length: MAX_BODY_VALUES }, (_, index) => `"m${index >> 1}":0`);
  assert.equal(messages(refuse(`{${members.join()}}`))?.length, 100);
});

test('a member named __proto__ is an ordinary one and changes no prototype', () => {
  const value = readJson(Buffer.from('{"__proto__":{"admin":true}}'));
  assert.deepEqual(Object.keys(value as object), ['__proto__']);
  assert.equal((value as { admin?: unknown }).admin, undefined);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(messages(refuse('{"__proto__":1,"__proto__":2}')), [
    '__proto__: is given twice',
  ]);
});

test(`${MAX_BODY_DEPTH} levels are read and one more is refused`, () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  readJson(Buffer.from(nested(MAX_BODY_DEPTH)));
  assert.match(refuse(nested(MAX_BODY_DEPTH + 1)).message, /deeper than 100 levels/);
  readJson(Buffer.from(`["${'['.repeat(1000)}"]`));
});

test('millions of brackets are refused at once', () => {
  for (const text of [
    '['.repeat(4_000_000),
    '{"a":'.repeat(1_000_000),
    '['.repeat(4_000_000) + ']'.repeat(4_000_000),
  ]) {
    const start = performance.now();
    refuse(text);
    assert.ok(performance.now() - start < 500);
  }
});

test('what was written is read, but for repeated names', () => {
  fc.assert(
    fc.property(writtenJson, ({ text, value }) => {
      let read: unknown;
      try {
        read = readJson(Buffer.from(text));
      } catch {
        assert.ok(hasRepeats(text, value), 'only a repeated name is a reason to refuse');
        return;
      }
      assert.deepEqual(read, value);
      assert.ok(!hasRepeats(text, value));
    }),
    { numRuns: 1000 },
  );
});

test('what JSON.parse refuses is refused', () => {
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
          refuse(damaged);
          refusal(() => parseJson(damaged));
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('random bytes are read or refused, nothing else', () => {
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

test('an odd name is shown in quotes, escaped and cut', () => {
  assert.equal(shownName('ttlSeconds'), 'ttlSeconds');
  assert.equal(shownName('Größe in cm'), 'Größe in cm');
  assert.equal(shownName('a\u0000\ud800\u0085\u2028'), '"a\\u0000\\ud800\\u{85}\\u{2028}"');
  assert.equal(shownName('x'.repeat(1000)), `"${'x'.repeat(80)}…"`);
});

/** By the colons outside strings, each of which is a member, and the members that are left. */
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { readableLine } from './readable-line.ts';

const TIME = '2026-11-22T20:31:04.123Z';
const START = /^\d\d:\d\d:\d\d\.\d{3} (TRACE|DEBUG|INFO |WARN |ERROR|FATAL) /;

function show(members: object, colour = false): string {
  return readableLine(`${JSON.stringify({ level: 30, time: TIME, ...members })}\n`, colour);
}

test('a line shows the local time, the level, the message and the other members, with the request ID last', () => {
  const members = { requestId: 'a-1', method: 'GET', route: '/spaces/{spaceId}', ms: 3.25 };
  const text = show({ ...members, msg: 'request' });
  const local = new Date(TIME);
  const hours = String(local.getHours()).padStart(2, '0');
  assert.equal(
    text.slice(2),
    `${text.slice(2, 12)} INFO  request  method=GET route=/spaces/{spaceId} ms=3.25 requestId=a-1\n`,
  );
  assert.equal(text.slice(0, 2), hours);
});

test('each level has a name of the same width', () => {
  for (const [level, name] of [
    [10, 'TRACE'],
    [20, 'DEBUG'],
    [30, 'INFO '],
    [40, 'WARN '],
    [50, 'ERROR'],
    [60, 'FATAL'],
  ])
    assert.equal(show({ level, msg: 'x' }).slice(13), `${name} x\n`);
});

test('values with spaces are quoted, and objects are JSON', () => {
  const text = show({ a: 'two words', b: { c: [1] }, d: null, e: '', msg: 'x' });
  assert.ok(text.endsWith('x  a="two words" b={"c":[1]} d=null e=""\n'), text);
});

test('an error is shown with its stack on indented lines', () => {
  const err = { type: 'TypeError', message: 'no', stack: 'TypeError: no\n    at a (b.ts:1:1)' };
  const lines = show({ level: 50, err: { ...err, code: 'E1' }, msg: 'failed' }).split('\n');
  assert.ok(lines[0]?.endsWith('ERROR failed  code=E1'));
  assert.deepEqual(lines.slice(1), ['    TypeError: no', '    at a (b.ts:1:1)', '']);
  const short = show({ err: { type: 'Error', message: 'no stack' }, msg: 'failed' });
  assert.ok(short.endsWith('failed\n    Error: no stack\n'));
});

test('colours are used only if they are requested', () => {
  assert.ok(!show({ status: 200, msg: 'request' }).includes('\u001b'));
  const coloured = show({ status: 200, msg: 'request' }, true);
  assert.ok(coloured.includes('\u001b[32mINFO \u001b[0m'));
  assert.ok(coloured.includes('\u001b[2mstatus=\u001b[0m200'));
});

test('a line that is not a JSON object is shown with control characters escaped', () => {
  assert.equal(readableLine('plain\u001b[31m text\n', false), 'plain\\u{1b}[31m text\n');
  assert.equal(readableLine('[1]\n', false), '[1]\n');
});

test('a forged line break, terminal sequence or text direction is escaped', () => {
  const forged = `x\n20:31:04.123 INFO  forged \u001b[2J\u009b1m\u202e\u2028\r${'\ud800'}`;
  const text = show({ msg: forged, [forged]: forged, err: { stack: `Error: ${forged}` } });
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cs}\u2028\u202e]/u);
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.filter((line) => START.test(line)).length, 1);
  assert.ok(text.includes('x\\u{a}20:31:04.123 INFO  forged \\u{1b}[2J\\u{9b}1m\\u{202e}'));
});

test('no value can start a new line or add an unescaped control character', () => {
  const text = fc.string({ unit: anyCharacter });
  const hostile = fc.oneof(text, fc.constant('\n20:31:04.123 FATAL forged'));
  fc.assert(
    fc.property(hostile, hostile, fc.json(), hostile, (msg, key, value, stack) => {
      const shown = show({ [key]: value, msg, err: { type: key, message: msg, stack } });
      const [first = '', ...rest] = shown.split('\n');
      assert.doesNotMatch(first, /[\p{Cc}\p{Cs}]/u);
      assert.equal(rest.pop(), '');
      for (const line of rest) assert.match(line, /^ {4}[^\p{Cc}\p{Cs}]*$/u);
    }),
  );
});

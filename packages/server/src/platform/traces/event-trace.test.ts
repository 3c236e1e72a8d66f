import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayHaveTrace, traceOfEvent } from './event-trace.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('an event has the trace of its traceparent and tracestate', () => {
  assert.deepEqual(traceOfEvent({ traceparent: TRACEPARENT }), { traceparent: TRACEPARENT });
  const traced = { traceparent: TRACEPARENT, tracestate: 'a=1,b=2' };
  assert.deepEqual(traceOfEvent({ id: '1', ...traced }), traced);
});

test('a malformed traceparent is ignored, together with the tracestate', () => {
  for (const traceparent of [
    undefined,
    null,
    7,
    '',
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}\r\nx: y`,
    TRACEPARENT.replace(/^00/, 'ff'),
    TRACEPARENT.replace(/[0-9a-f]{32}/, '0'.repeat(32)),
    TRACEPARENT.replace('b7ad6b7169203331', '0'.repeat(16)),
  ])
    assert.deepEqual(traceOfEvent({ traceparent, tracestate: 'a=1' }), {}, String(traceparent));
});

test('a tracestate that a header cannot contain is ignored', () => {
  for (const tracestate of ['', 'a=1\r\nb: c', ' a=1', 'é=1', 'a'.repeat(513), 7])
    assert.deepEqual(traceOfEvent({ traceparent: TRACEPARENT, tracestate }), {
      traceparent: TRACEPARENT,
    });
});

test('only a text with the attribute or with escapes may have a trace', () => {
  assert.ok(mayHaveTrace(JSON.stringify({ traceparent: TRACEPARENT })));
  assert.ok(mayHaveTrace('{"trace\\u0070arent":"…"}'));
  assert.ok(!mayHaveTrace('{"id":"1"}'));
});

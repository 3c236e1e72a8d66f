import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedLines } from './repeated-lines.ts';

const WARN = 40;
const INFO = 30;

function linesAt(clock: { ms: number }): RepeatedLines {
  return new RepeatedLines(() => clock.ms);
}

const refused = () => ({ err: new Error('unwritable', { cause: new Error('ECONNREFUSED') }) });

test('an equal warning is written once per minute, with the number of omitted lines', () => {
  const clock = { ms: 0 };
  const lines = linesAt(clock);
  assert.equal(lines.admit(WARN, refused(), 'not ready'), 0);
  clock.ms = 59_999;
  assert.equal(lines.admit(WARN, refused(), 'not ready'), null);
  assert.equal(lines.admit(WARN, refused(), 'not ready'), null);
  clock.ms = 60_000;
  assert.equal(lines.admit(WARN, refused(), 'not ready'), 2);
  clock.ms = 120_000;
  assert.equal(lines.admit(WARN, refused(), 'not ready'), 0);
});

test('a warning with another message, error, cause or member is written', () => {
  const lines = linesAt({ ms: 0 });
  lines.admit(WARN, refused(), 'not ready');
  const other = { err: new Error('unwritable', { cause: new Error('ENOSPC') }) };
  assert.equal(lines.admit(WARN, refused(), 'failed'), 0);
  assert.equal(lines.admit(WARN, other, 'not ready'), 0);
  assert.equal(lines.admit(WARN, { err: new Error('slow') }, 'not ready'), 0);
  assert.equal(lines.admit(WARN, { ...refused(), sink: 'nats' }, 'not ready'), 0);
});

test('information, lines of a request, and lines without an error are always written', () => {
  const lines = linesAt({ ms: 0 });
  for (let line = 0; line < 3; line += 1) {
    assert.equal(lines.admit(INFO, {}, 'request'), 0);
    assert.equal(lines.admit(WARN, { requestId: 'a-1', ...refused() }, 'unexpected error'), 0);
    assert.equal(lines.admit(WARN, { sink: 'nats', reason: 'unreachable' }, 'delayed'), 0);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SinkFailure, type SinkFailureReason } from '../event-sink.ts';
import { SinkHealth } from './sink-health.ts';

function openHealth() {
  const reported: string[] = [];
  const health = new SinkHealth({
    onFailing: ({ message }, spaceId) => reported.push(`${message} ${spaceId}`),
    onRecovered: () => reported.push('recovered'),
  });
  return {
    reported,
    succeed: (spaceId: string) => health.onSuccess(spaceId),
    fail: (spaceId: string, reason: SinkFailureReason, message: string = reason) =>
      health.onFailure(spaceId, new SinkFailure(reason, message)),
  };
}

test('reports a failure and the recovery once, regardless of the number of spaces and retries', () => {
  const { reported, fail, succeed } = openHealth();
  for (const space of ['a', 'b', 'a', 'b', 'a']) fail(space, 'unreachable');
  succeed('a');
  succeed('c');
  assert.deepEqual(reported, ['unreachable a']);
  succeed('b');
  succeed('b');
  assert.deepEqual(reported, ['unreachable a', 'recovered']);
  fail('b', 'unreachable');
  assert.deepEqual(reported, ['unreachable a', 'recovered', 'unreachable b']);
});

test('also reports a failure of a different kind while the sink is failing', () => {
  const { reported, fail } = openHealth();
  fail('a', 'unreachable');
  fail('a', 'unauthorized');
  fail('b', 'unauthorized');
  assert.deepEqual(reported, ['unreachable a', 'unauthorized a']);
});

test('reports each reason why the broker is unreachable once per outage', () => {
  const { reported, fail, succeed } = openHealth();
  for (const problem of ['refused', 'refused', 'expired', 'refused', 'expired'])
    fail('a', 'unreachable', problem);
  fail('b', 'unreachable', 'expired');
  assert.deepEqual(reported, ['refused a', 'expired a']);
  for (const space of ['a', 'b']) succeed(space);
  fail('a', 'unreachable', 'expired');
  assert.deepEqual(reported, ['refused a', 'expired a', 'recovered', 'expired a']);
});

test('reports an event that is too large once per space', () => {
  const { reported, fail } = openHealth();
  for (const space of ['a', 'b', 'a']) fail(space, 'too-large');
  assert.deepEqual(reported, ['too-large a', 'too-large b']);
});

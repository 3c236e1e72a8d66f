import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SinkFailure, type SinkFailureReason } from '../event-sink.ts';
import { SinkHealth } from './sink-health.ts';

function openHealth() {
  const reported: string[] = [];
  const health = new SinkHealth({
    onFailing: ({ reason }, spaceId) => reported.push(`${reason} ${spaceId}`),
    onRecovered: () => reported.push('recovered'),
  });
  return {
    reported,
    succeed: (spaceId: string) => health.onSuccess(spaceId),
    fail: (spaceId: string, reason: SinkFailureReason) =>
      health.onFailure(spaceId, new SinkFailure(reason, reason)),
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

test('reports an event that is too large once per space', () => {
  const { reported, fail } = openHealth();
  for (const space of ['a', 'b', 'a']) fail(space, 'too-large');
  assert.deepEqual(reported, ['too-large a', 'too-large b']);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SinkFailure, type SinkFailureReason } from '../event-sink.ts';
import { createTrouble } from './trouble.ts';

function trouble() {
  const said: string[] = [];
  const { failed, cleared } = createTrouble({
    onBroken: ({ reason }, spaceId) => void said.push(`${reason} ${spaceId}`),
    onMended: () => void said.push('mended'),
  });
  return {
    said,
    cleared,
    failed: (spaceId: string, reason: SinkFailureReason) =>
      failed(spaceId, new SinkFailure(reason, reason)),
  };
}

describe('the trouble of a sink', () => {
  test('is said when it begins and when it ends, however many spaces and tries it takes', () => {
    const { said, failed, cleared } = trouble();
    for (const space of ['a', 'b', 'a', 'b', 'a']) failed(space, 'unreachable');
    cleared('a');
    cleared('c');
    assert.deepEqual(said, ['unreachable a']);
    cleared('b');
    cleared('b');
    assert.deepEqual(said, ['unreachable a', 'mended']);
    failed('b', 'unreachable');
    assert.deepEqual(said, ['unreachable a', 'mended', 'unreachable b']);
  });

  test('is said anew when it becomes another one', () => {
    const { said, failed } = trouble();
    failed('a', 'unreachable');
    failed('a', 'unauthorized');
    failed('b', 'unauthorized');
    assert.deepEqual(said, ['unreachable a', 'unauthorized a']);
  });

  test('is one for each space when an event is too large', () => {
    const { said, failed } = trouble();
    for (const space of ['a', 'b', 'a']) failed(space, 'too-large');
    assert.deepEqual(said, ['too-large a', 'too-large b']);
  });
});

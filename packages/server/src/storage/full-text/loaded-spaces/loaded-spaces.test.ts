import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadedSpaces } from './loaded-spaces.ts';

const IDS = ['first', 'second', 'third'];

test('the least recently searched space is dropped from memory first', () => {
  const roomy = new LoadedSpaces();
  const [first] = IDS.map((spaceId) => {
    const space = roomy.get(spaceId);
    roomy.evict(spaceId);
    return space;
  });
  assert.equal(roomy.get('first'), first);
  // The limit is enough for two spaces.
  const tight = new LoadedSpaces(2 * (first?.byteLength ?? 0));
  const before = new Map(IDS.map((spaceId) => [spaceId, tight.get(spaceId)]));
  for (const spaceId of ['second', 'first', 'third']) {
    tight.get(spaceId);
    tight.evict(spaceId);
  }
  assert.equal(tight.get('first'), before.get('first'));
  assert.equal(tight.get('third'), before.get('third'));
  assert.notEqual(tight.get('second'), before.get('second'));
});

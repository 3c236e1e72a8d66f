import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadedSpaces } from './loaded-spaces.ts';

const IDS = ['first', 'second', 'third'];

class Space {
  readonly byteLength = 1000;
  readonly changed: number[] = [];

  change({ number }: { readonly number: number }): void {
    this.changed.push(number);
  }
}

const create = () => new Space();

test('the least recently searched space is dropped from memory first', () => {
  const roomy = new LoadedSpaces<Space>();
  const [first] = IDS.map((spaceId) => {
    const space = roomy.get(spaceId, create);
    roomy.evict(spaceId);
    return space;
  });
  assert.equal(roomy.get('first', create), first);
  // The limit is enough for two spaces.
  const tight = new LoadedSpaces<Space>(2000);
  const before = new Map(IDS.map((spaceId) => [spaceId, tight.get(spaceId, create)]));
  for (const spaceId of ['second', 'first', 'third']) {
    tight.get(spaceId, create);
    tight.evict(spaceId);
  }
  assert.equal(tight.get('first', create), before.get('first'));
  assert.equal(tight.get('third', create), before.get('third'));
  assert.notEqual(tight.get('second', create), before.get('second'));
});

test('a space is created again if it is not usable or if changes are unknown', () => {
  const spaces = new LoadedSpaces<Space>();
  const first = spaces.get('first', create);
  spaces.record([
    { spaceId: 'first', number: 7, reindexed: false },
    { spaceId: 'second', number: 8, reindexed: true },
  ]);
  assert.equal(spaces.get('first', create), first);
  assert.deepEqual(first.changed, [7]);
  const other = spaces.get('first', create, () => false);
  assert.notEqual(other, first);
  spaces.record(null);
  assert.notEqual(spaces.get('first', create), other);
});

import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { createLive } from './live.service.ts';

test('a stream ends one second after its right has ended', async (t) => {
  await using store = await openNewStore();
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  // While intervals are mocked, `clearInterval` does not end the intervals of the store.
  using _ = { [Symbol.dispose]: () => t.mock.timers.reset() };
  t.mock.timers.enable({ apis: ['setInterval'] });
  const live = createLive({
    store: store.events,
    limits: { all: 1, inSpace: 1 },
    onDropped: () => {},
    onFailure: assert.ifError,
  });
  let hasRight = true;
  const stream = await live.open({
    spaceId,
    after: null,
    filter: {},
    credential: 'key',
    requireRight: async () => assert.ok(hasRight),
  });
  stream.resume();
  t.mock.timers.tick(2000);
  await new Promise(setImmediate);
  assert.equal(live.count(), 1);
  hasRight = false;
  t.mock.timers.tick(1000);
  for (let turn = 0; turn < 100 && live.count() > 0; turn += 1) await new Promise(setImmediate);
  assert.equal(live.count(), 0);
  live.close();
});

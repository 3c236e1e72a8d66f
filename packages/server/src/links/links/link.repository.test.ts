import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CREATION } from '../../platform/audit/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { createLinkRepository } from './link.repository.ts';

test('the newest exchange time remains stored if replicas write out of order', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, 'space');
  const links = createLinkRepository(store.db);
  const [spaceId, id] = ['space', 'link'];
  const insertion = links.insertion({
    id,
    space_id: spaceId,
    token_hash: 'hash',
    token_prefix: 'prefix',
    sub: null,
    payload: '{}',
    user_information: null,
    bot_id: null,
    exp: 1,
    created_at: 0,
    restricted: 0,
    warnings: '[]',
    ...NO_CREATION,
  });
  await store.writeAtomically([insertion]);
  const seen = [];
  for (const at of [2000, 1000, 3000]) {
    await links.addExchanges([{ spaceId, id, count: 1, at }]);
    const found = await links.find(spaceId, id);
    seen.push([found?.exchanges, found?.last_exchanged_at]);
  }
  assert.deepEqual(seen, [
    [1, 2000],
    [2, 2000],
    [3, 3000],
  ]);
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { SpaceAccess } from '../../identity/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { NO_WRITES, type Store } from '../../storage/ports/index.ts';
import { createSources } from './create-sources.ts';

const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const SOURCE = 'https://shop.example/orders';
const ACCESS = { spaceId: SPACE } as SpaceAccess;

function openSources({ db, hints }: Store, secret: Buffer) {
  const unreadable: string[] = [];
  const module = createSources({
    db,
    hints,
    clock: Date.now,
    secret,
    onUnreadable: (sourceId) => unreadable.push(sourceId),
  });
  /** Returns the number of active keys after clearing the cache. */
  const countKeys = async () => {
    module.registry.forget();
    return (await module.registry.inSpace(SPACE)).covering(SOURCE)?.keys().length;
  };
  return { ...module, unreadable, countKeys };
}

test('reports each unreadable secret of a source once', async () => {
  await using store = await openNewStore();
  await addSpace(store, SPACE);
  const other = openSources(store, randomBytes(32));
  const { id } = await other.sources.create(ACCESS, { name: 'shop', source: SOURCE }, NO_WRITES);
  const { sources, unreadable, countKeys } = openSources(store, randomBytes(32));
  assert.equal(await countKeys(), 0);
  assert.equal(await countKeys(), 0);
  assert.deepEqual(unreadable, [id]);

  await sources.rotate(ACCESS, id, { keepOldSeconds: 3600 });
  assert.equal(await countKeys(), 1, 'the previous secret is still unreadable');
  assert.deepEqual(unreadable, [id]);

  await other.sources.rotate(ACCESS, id, { keepOldSeconds: 0 });
  assert.equal(await countKeys(), 0);
  assert.equal(await countKeys(), 0);
  assert.deepEqual(unreadable, [id, id]);
});

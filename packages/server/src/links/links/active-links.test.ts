import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Link } from '@gatehouse/contract';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Store } from '../../storage/ports/index.ts';
import { newestActiveLinks } from './active-links.service.ts';
import { createLinkRepository } from './link.repository.ts';
import { createLinkListRepository } from './link-list.repository.ts';

const NOW = 1_800_000_000_000;
const SPACE = 'space';
const OTHER = 'other';
/** More than two batches. */
const ACTIVE = 120;

describe('the newest active links', () => {
  let store: Store;
  const active: string[] = [];
  before(async () => {
    store = await openNewStore();
    for (const space of [SPACE, OTHER]) await addSpace(store, space);
    for (let number = 0; number < ACTIVE; number += 1) {
      active.push(await insert(SPACE, NOW / 1000 + 60, null));
      if (number % 10 !== 0) continue;
      await insert(SPACE, NOW / 1000 - 60, null);
      await insert(SPACE, NOW / 1000 + 60, NOW - 1);
      await insert(OTHER, NOW / 1000 + 60, null);
    }
    // IDs of the same millisecond are not in the order of insertion.
    active.sort().reverse();
  });
  after(() => store[Symbol.asyncDispose]());

  async function insert(space: string, exp: number, revokedAt: number | null): Promise<string> {
    const id = randomUUIDv7();
    const row = { id, space_id: space, token_hash: id, token_prefix: 'prefix', sub: null, exp };
    const payload = JSON.stringify({ permissionFilter: { level: { eq: 1 } } });
    const rest = { payload, user_information: null, bot_id: null, created_at: NOW };
    await store.db
      .insertInto('links')
      .values({ ...row, ...rest, revoked_at: revokedAt })
      .execute();
    return id;
  }

  async function collect(limit: number, maxScanned?: number) {
    const deps = {
      links: createLinkRepository(store.db),
      lists: createLinkListRepository(store.db),
      toLink: ({ id }: { readonly id: string }) => ({ id }) as Link,
      now: NOW,
      ...(maxScanned === undefined ? {} : { maxScanned }),
    };
    const found = newestActiveLinks(deps, SPACE, limit);
    const ids: string[] = [];
    for (;;) {
      const next = await found.next();
      if (next.done === true) return { ids, isComplete: next.value };
      ids.push(next.value.link.id);
    }
  }

  test('are all active links of the space, newest first', async () => {
    assert.deepEqual(await collect(1000), { ids: active, isComplete: true });
    assert.deepEqual(await collect(ACTIVE), { ids: active, isComplete: true });
  });

  test('are incomplete if the space has more than the limit', async () => {
    for (const limit of [1, 49, 50, 51, ACTIVE - 1])
      assert.deepEqual(await collect(limit), { ids: active.slice(0, limit), isComplete: false });
  });

  test('are incomplete if the space has more links than may be read', async () => {
    const { ids, isComplete } = await collect(1000, 60);
    assert.equal(isComplete, false);
    assert.ok(ids.length >= 45 && ids.length <= 61, String(ids.length));
    assert.deepEqual(ids, active.slice(0, ids.length));
  });
});

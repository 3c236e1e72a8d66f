import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { batchOf, idsOf, numbered } from './event-batch.suite.ts';
import type { EventStoreUnderTest } from './event-store-under-test.suite.ts';

/** What becomes of the events of a space that is gone. */
export function removalTests(suite: EventStoreUnderTest): void {
  test('removes the events of a space, and of that space alone', async () => {
    const [one, two] = [await suite.given(), await suite.given()];
    const { store } = one;
    for (let batch = 0; batch < 150; batch += 1)
      await store.append([
        batchOf(one.spaceId, numbered(batch * 2, batch * 2 + 1)),
        batchOf(two.spaceId, numbered(batch * 2, batch * 2 + 1)),
      ]);
    await suite.opened().dropSpace(one.spaceId);
    store.removeSpace(one.spaceId);
    await untilEmpty(one.spaceId);
    assert.equal((await idsOf(store, { spaceId: two.spaceId })).length, 300);
    assert.deepEqual(await store.append([batchOf(two.spaceId, numbered(0, 299))]), { stored: 0 });
  });

  test('goes on after a restart with the removal of a space', async () => {
    const [one, two] = [await suite.given(), await suite.given()];
    await one.store.append([batchOf(one.spaceId, numbered(1, 5))]);
    await one.store.append([batchOf(two.spaceId, numbered(1, 5))]);
    await suite.opened().dropSpace(one.spaceId);
    await suite.opened().reopen();
    await untilEmpty(one.spaceId);
    assert.equal((await idsOf(suite.opened().events, { spaceId: two.spaceId })).length, 5);
  });

  async function untilEmpty(spaceId: string): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await suite.opened().events.read({ spaceId, after: 0, limit: 1 })).events.length === 0)
        return;
      await setTimeout(10);
    }
    assert.fail('the events of a removed space are still there');
  }
}

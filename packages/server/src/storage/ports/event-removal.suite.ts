import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { batchOf, idsOf, numbered } from './event-batch.suite.ts';
import type { EventBound } from './event-store.ts';
import type { EventStoreUnderTest } from './event-store-under-test.suite.ts';

export function removalTests(suite: EventStoreUnderTest): void {
  test('removes the events of a deleted space and of no other space', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
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

  test('continues the removal of a space after a restart', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    await one.store.append([batchOf(one.spaceId, numbered(1, 5))]);
    await one.store.append([batchOf(two.spaceId, numbered(1, 5))]);
    await suite.opened().dropSpace(one.spaceId);
    await suite.opened().reopen();
    await untilEmpty(one.spaceId);
    assert.equal((await idsOf(suite.opened().events, { spaceId: two.spaceId })).length, 5);
  });

  test('removes the oldest events of a space and ignores them if they are sent again', async () => {
    const [one, two] = [await suite.newSpace(), await suite.newSpace()];
    const events = () => suite.opened().events;
    for (let batch = 0; batch < 150; batch += 1)
      await events().append([
        batchOf(one.spaceId, numbered(batch * 2, batch * 2 + 1)),
        batchOf(two.spaceId, numbered(batch * 2, batch * 2 + 1)),
      ]);
    assert.equal(await removeAll(one.spaceId, 0), 0);
    assert.equal(await removeAll(one.spaceId, 200), 200);
    const left = numbered(200, 299).map(({ id }) => id);
    for (const reopen of [false, true]) {
      if (reopen) await suite.opened().reopen();
      assert.deepEqual(await idsOf(events(), { spaceId: one.spaceId }), left);
      assert.deepEqual(await idsOf(events(), { spaceId: one.spaceId, after: 150 }), left);
      assert.equal((await idsOf(events(), { spaceId: two.spaceId })).length, 300);
      const duplicates = [batchOf(one.spaceId, numbered(0, 299))];
      assert.deepEqual(await events().append(duplicates), { stored: 0 });
      assert.equal(await events().newest(one.spaceId), 300);
    }
    assert.equal(await removeAll(one.spaceId, 300), 100);
    const nothing = { events: [], through: 300, more: false };
    assert.deepEqual(await events().read({ spaceId: one.spaceId, after: 7, limit: 5 }), nothing);
    await suite.opened().reopen();
    assert.deepEqual(await events().read({ spaceId: one.spaceId, after: 7, limit: 5 }), nothing);
    await events().append([batchOf(one.spaceId, numbered(299, 301))]);
    const page = await events().read({ spaceId: one.spaceId, after: 0, limit: 5 });
    assert.deepEqual(
      page.events.map(({ position }) => position),
      [301, 302],
    );
  });

  test('returns the retention cutoff for a maximum age and a maximum size', async () => {
    const { store, spaceId } = await suite.newSpace();
    const retentionCutoff = (bound: EventBound) => store.retentionCutoff(spaceId, bound);
    assert.equal(await retentionCutoff({ since: 5000 }), 0);
    assert.equal(await retentionCutoff({ bytes: 0 }), 0);
    for (const [index, at] of [1000, 2000, 3000].entries())
      await store.append([batchOf(spaceId, numbered(index * 2, index * 2 + 1), at)]);
    assert.equal(await retentionCutoff({ since: 1000 }), 0);
    assert.equal(await retentionCutoff({ since: 1001 }), 2);
    assert.equal(await retentionCutoff({ since: 3000 }), 4);
    assert.equal(await retentionCutoff({ since: 9000 }), 6);
    assert.equal(await retentionCutoff({ bytes: 1_000_000 }), 0);
    assert.equal(await retentionCutoff({ bytes: 0 }), 6);
    let [bytes, enough] = [0, 1_000_000];
    while (enough - bytes > 1) {
      const middle = (bytes + enough) >> 1;
      if ((await retentionCutoff({ bytes: middle })) === 0) enough = middle;
      else bytes = middle;
    }
    assert.equal(await retentionCutoff({ bytes }), 2);
    await removeAll(spaceId, 2);
    assert.equal(await retentionCutoff({ bytes }), 0, 'removed events still count');
    assert.equal(await retentionCutoff({ since: 1001 }), 0);
    assert.equal(await retentionCutoff({ bytes: 0 }), 6);
  });

  async function removeAll(spaceId: string, through: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const some = await suite.opened().events.removeUpTo(spaceId, through);
      if (some === 0) return removed;
      removed += some;
    }
  }

  async function untilEmpty(spaceId: string): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await suite.opened().events.read({ spaceId, after: 0, limit: 1 })).events.length === 0)
        return;
      await setTimeout(10);
    }
    assert.fail('the events of a deleted space were not removed');
  }
}

import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { batchOf, idsOf, numbered } from '../../storage/ports/event-batch.suite.ts';
import { createRetention } from './retention.service.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 9, 18);
const AGES = [40, 33, 10];

describe('retention', async () => {
  const place = await newStoreLocation();
  after(() => place[Symbol.dispose]());
  const store = await place.open();
  after(() => store[Symbol.asyncDispose]());

  /** Creates a space with two events per entry of `AGES`, numbered 1 and 2, 3 and 4, and so on. */
  async function spaceWith(row: { events_max_age_days?: number; events_max_bytes?: number }) {
    const spaceId = randomUUIDv7();
    await store.db
      .insertInto('spaces')
      .values({ id: spaceId, name: spaceId, created_at: 1, ...row })
      .execute();
    for (const [index, days] of AGES.entries())
      await store.events.append([
        batchOf(spaceId, numbered(index * 2 + 1, index * 2 + 2), NOW - days * DAY),
      ]);
    return spaceId;
  }

  const consumer = (spaceId: string, position: number) =>
    store.db
      .insertInto('event_cursors')
      .values({ space_id: spaceId, consumer: 'r', position, updated_at: NOW })
      .execute();

  /** Runs retention. Returns the remaining events and the reported counts. */
  async function leftAfter(spaceId: string, defaults: { days?: number; bytes?: number } = {}) {
    const counted = { removed: 0, unread: 0 };
    await using retention = createRetention({
      db: store.db,
      store: store.events,
      leases: store.leases,
      clock: () => NOW,
      defaults: { maxAgeDays: defaults.days ?? null, maxBytes: defaults.bytes ?? null },
      count: (removed, unread) => {
        counted.removed += removed;
        counted.unread += unread;
      },
      onError: (error) => {
        throw error;
      },
    });
    const left = () => idsOf(store.events, { spaceId });
    await retention.start();
    let before: string[] = [];
    for (let same = 0; same < 5; ) {
      await sleep(10);
      const now = await left();
      same = now.join() === before.join() ? same + 1 : 0;
      before = now;
    }
    return { left: before.join(' ').replaceAll('e', ''), ...counted };
  }

  test('removes events older than the retention of the space', async () => {
    const spaceId = await spaceWith({ events_max_age_days: 30 });
    assert.deepEqual(await leftAfter(spaceId), { left: '5 6', removed: 4, unread: 0 });
  });

  test('applies the default of the installation only to spaces without a setting', async () => {
    const unset = await spaceWith({});
    assert.equal((await leftAfter(unset)).left, '1 2 3 4 5 6');
    assert.equal((await leftAfter(unset, { days: 35 })).left, '3 4 5 6');
    const limited = await spaceWith({ events_max_age_days: 5 });
    assert.equal((await leftAfter(limited, { days: 35 })).left, '');
  });

  test('removes the oldest events if a space exceeds its size limit', async () => {
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    assert.equal((await leftAfter(spaceId)).left, '');
    const roomy = await spaceWith({ events_max_bytes: 1_000_000 });
    assert.equal((await leftAfter(roomy, { bytes: 1 })).left, '1 2 3 4 5 6');
  });

  test('keeps unprocessed events for one more week', async () => {
    const spaceId = await spaceWith({ events_max_age_days: 30 });
    await consumer(spaceId, 1);
    assert.deepEqual(await leftAfter(spaceId), { left: '3 4 5 6', removed: 2, unread: 2 });
    await store.db
      .updateTable('event_cursors')
      .set({ position: 4 })
      .where('space_id', '=', spaceId)
      .execute();
    assert.deepEqual(await leftAfter(spaceId), { left: '5 6', removed: 2, unread: 0 });
  });

  test('keeps unprocessed events even if a space exceeds its size limit', async () => {
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    await store.events.append([batchOf(spaceId, numbered(7, 8), NOW - DAY)]);
    await consumer(spaceId, 6);
    assert.deepEqual(await leftAfter(spaceId), { left: '7 8', removed: 6, unread: 0 });
  });
});

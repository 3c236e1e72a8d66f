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

  /** A space with two events received on each of some days, which are 1 and 2, 3 and 4, and so on. */
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

  /** What is left once retention has nothing more to do, and what it counted. */
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

  test('removes what was received before the days that a space keeps', async () => {
    const spaceId = await spaceWith({ events_max_age_days: 30 });
    assert.deepEqual(await leftAfter(spaceId), { left: '5 6', removed: 4, unread: 0 });
  });

  test('goes by the installation where a space says nothing, and by the space where it does', async () => {
    const silent = await spaceWith({});
    assert.equal((await leftAfter(silent)).left, '1 2 3 4 5 6');
    assert.equal((await leftAfter(silent, { days: 35 })).left, '3 4 5 6');
    const says = await spaceWith({ events_max_age_days: 5 });
    assert.equal((await leftAfter(says, { days: 35 })).left, '');
  });

  test('removes the oldest where there is too much', async () => {
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    assert.equal((await leftAfter(spaceId)).left, '');
    const roomy = await spaceWith({ events_max_bytes: 1_000_000 });
    assert.equal((await leftAfter(roomy, { bytes: 1 })).left, '1 2 3 4 5 6');
  });

  test('waits a week for a consumer that has not got so far, and then no more', async () => {
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

  test('holds what is too much for a consumer, too', async () => {
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    await store.events.append([batchOf(spaceId, numbered(7, 8), NOW - DAY)]);
    await consumer(spaceId, 6);
    assert.deepEqual(await leftAfter(spaceId), { left: '7 8', removed: 6, unread: 0 });
  });
});

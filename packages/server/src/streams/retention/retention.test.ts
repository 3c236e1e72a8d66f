import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../tests/support/until.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { batchOf, idsOf, numbered } from '../../storage/ports/event-batch.suite.ts';
import { createConsumers } from '../consumers/index.ts';
import { createRetention } from './retention.service.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 9, 18);
const AGES = [40, 33, 10];

describe('retention', async () => {
  const store = await openNewStore();
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

  interface Outcome {
    /** Numbers of the remaining events. */
    readonly left: string;
    readonly removed?: number;
    readonly unread?: number;
  }

  const consumers = createConsumers({
    db: store.db,
    store: store.events,
    leases: store.leases,
    clock: () => NOW,
  });

  /** Runs retention until only the expected events remain, and asserts the reported counts. */
  async function assertLeft(
    spaceId: string,
    { left, ...counts }: Outcome,
    defaults: { days?: number; bytes?: number } = {},
  ): Promise<void> {
    const counted = { removed: 0, unread: 0 };
    const remaining = async () =>
      (await idsOf(store.events, { spaceId })).join(' ').replaceAll('e', '');
    {
      await using retention = createRetention({
        db: store.db,
        store: store.events,
        leases: store.leases,
        consumers,
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
      await retention.start();
      await until(`only these events remain: ${left}`, async () => (await remaining()) === left);
      // Waits a little longer to detect retention that removes too many events.
      await sleep(50);
    }
    assert.equal(await remaining(), left);
    assert.deepEqual({ ...counted, ...counts }, counted);
  }

  test('removes events older than the retention of the space', async () => {
    const spaceId = await spaceWith({ events_max_age_days: 30 });
    await assertLeft(spaceId, { left: '5 6', removed: 4, unread: 0 });
  });

  test('applies the default of the installation only to spaces without a setting', async () => {
    const unset = await spaceWith({});
    await assertLeft(unset, { left: '1 2 3 4 5 6' });
    await assertLeft(unset, { left: '3 4 5 6' }, { days: 35 });
    const limited = await spaceWith({ events_max_age_days: 5 });
    await assertLeft(limited, { left: '' }, { days: 35 });
  });

  test('removes the oldest events if a space exceeds its size limit', async () => {
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    await assertLeft(spaceId, { left: '' });
    const roomy = await spaceWith({ events_max_bytes: 1_000_000 });
    await assertLeft(roomy, { left: '1 2 3 4 5 6' }, { bytes: 1 });
  });

  test('keeps unprocessed events for one more week', async () => {
    const spaceId = await spaceWith({ events_max_age_days: 30 });
    await consumer(spaceId, 1);
    await assertLeft(spaceId, { left: '3 4 5 6', removed: 2, unread: 2 });
    await store.db
      .updateTable('event_cursors')
      .set({ position: 4 })
      .where('space_id', '=', spaceId)
      .execute();
    await assertLeft(spaceId, { left: '5 6', removed: 2, unread: 0 });
  });

  test('keeps unprocessed events even if a space exceeds its size limit', async () => {
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    await store.events.append([batchOf(spaceId, numbered(7, 8), NOW - DAY)]);
    await consumer(spaceId, 6);
    await assertLeft(spaceId, { left: '7 8', removed: 6, unread: 0 });
  });

  test('keeps the events of a consumer that has not stored a cursor yet', async () => {
    consumers.register({ name: 'new', position: async () => 3, releasedPosition: async () => 0 });
    const spaceId = await spaceWith({ events_max_bytes: 1 });
    await store.events.append([batchOf(spaceId, numbered(7, 8), NOW - DAY)]);
    await assertLeft(spaceId, { left: '7 8' });
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { StorageUnavailable } from '../../../lib/threads/storage-errors.ts';
import { batchOf, idsOf, numbered } from '../../ports/event-batch.suite.ts';
import { NotificationChannels } from '../notifications.ts';
import { EVENTS_CHANNEL } from './append-notifier.ts';
import { createPostgresEventStore } from './event-store.ts';
import { openReplica, toUuids } from './replica.suite.ts';

const options = { skip: postgresIsMissing };

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; attempts < 1000; attempts += 1) {
    if (await condition()) return;
    await sleep(20);
  }
  assert.fail('the condition did not become true');
}

test('two replicas store the same events once and serve the same feed', options, async () => {
  await using one = await openReplica();
  await using two = await openReplica(one.url);
  const spaceId = await one.addSpace();
  const stores = [one.store.events, two.store.events];
  let writing = true;
  const seen = stores.map(async (store) => {
    const ids: string[] = [];
    for (let after = 0, isLast = false; !isLast; ) {
      isLast = !writing;
      const page = await store.read({ spaceId, after, limit: 1000 });
      assert.equal(page.through, after + page.events.length, 'positions have no gaps');
      ids.push(...page.events.map(({ text }) => String(JSON.parse(text).id)));
      after = page.through;
    }
    return ids;
  });
  const clients = Array.from({ length: 8 }, async (_, client) => {
    let stored = 0;
    for (let batch = 0; batch < 25; batch += 1) {
      // Two clients send the same events to different replicas.
      const sent = numbered(batch * 10 + 1, batch * 10 + 10, `c${client >> 1}-`);
      stored += (await stores[client % 2]?.append([batchOf(spaceId, sent)]))?.stored ?? 0;
    }
    return stored;
  });
  const stored = (await Promise.all(clients)).reduce((sum, some) => sum + some, 0);
  writing = false;
  const [first = [], second = []] = await Promise.all(seen);
  assert.equal(stored, 1000);
  assert.equal(new Set(first).size, 1000);
  assert.deepEqual(first, second);
});

test('events are neither lost nor duplicated when connections break', options, async () => {
  await using replica = await openReplica();
  const spaces = [await replica.addSpace(), await replica.addSpace()];
  let sending = true;
  const clients = Array.from({ length: 6 }, async (_, client) => {
    const acknowledged: string[] = [];
    for (let batch = 0; sending; batch += 1) {
      const sent = numbered(batch * 5 + 1, batch * 5 + 5, `c${client}-`);
      const spaceId = spaces[client % 2] ?? '';
      for (let isKept = false; !isKept; )
        try {
          await replica.store.events.append([batchOf(spaceId, sent)]);
          isKept = true;
        } catch (error) {
          assert.ok(error instanceof StorageUnavailable, String(error));
        }
      acknowledged.push(...sent.map(({ id }) => id));
    }
    return acknowledged;
  });
  for (let round = 0; round < 60; round += 1) {
    await replica.others.run(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database() and application_name = 'gatehouse' and query like '%event_identities%'",
    );
    await sleep(round % 7);
  }
  sending = false;
  const acknowledged = await Promise.all(clients);
  for (const [place, spaceId] of spaces.entries()) {
    const expected = acknowledged.filter((_, client) => client % 2 === place).flat();
    const found = await idsOf(replica.store.events, { spaceId, limit: 1000 });
    assert.deepEqual(found.toSorted(), expected.toSorted());
  }
  assert.ok(acknowledged.flat().length > 0);
});

test('a replica is notified of appends by another replica', options, async () => {
  await using one = await openReplica();
  await using two = await openReplica(one.url);
  const spaceId = await one.addSpace();
  const notified: [string, boolean][] = [];
  two.store.events.onAppended((id, feedsKnowledge) => notified.push([id, feedsKnowledge]));
  // Until the listener is connected, appends are detected by reading the heads. Such appends are reported as possible document
  // changes.
  for (let batch = 1; notified.every(([, feeds]) => feeds); batch += 1) {
    assert.ok(batch < 500);
    await one.store.events.append([batchOf(spaceId, numbered(batch, batch))]);
    await sleep(20);
  }
  assert.ok(notified.every(([id]) => id === spaceId));
});

test('a replica without notifications detects appends by another replica', options, async (t) => {
  await using one = await openReplica();
  const spaceId = await one.addSpace();
  await one.store.events.append([batchOf(spaceId, numbered(1, 3))]);
  const nowhere = 'postgres://127.0.0.1:1/x';
  const channels = new NotificationChannels(nowhere, [EVENTS_CHANNEL]);
  t.after(() => channels.close());
  await using isolated = await createPostgresEventStore({
    pool: one.others,
    channels,
    queueBytes: 1e6,
    onError: () => {},
  });
  const notified: string[] = [];
  isolated.onAppended((id) => notified.push(id));
  await one.store.events.append([batchOf(spaceId, numbered(3, 5))]);
  await until(() => notified.length > 0);
  assert.deepEqual(notified, [spaceId]);
});

test('ignores malformed messages on the notification channel', options, async () => {
  await using replica = await openReplica();
  const spaceId = await replica.addSpace();
  for (const text of ['', '{', 'null', '{"from":1}', '{"from":"x","spaces":[1,null]}'])
    await replica.others.run("select pg_notify('gatehouse_events', $1)", [text]);
  await sleep(50);
  assert.deepEqual(await replica.store.events.append([batchOf(spaceId, numbered(1, 1))]), {
    stored: 1,
  });
});

test('an imported identity without a space is a duplicate in every space', options, async () => {
  await using replica = await openReplica();
  const spaceId = await replica.addSpace();
  const moved = batchOf(spaceId, numbered(3, 5));
  await replica.others.run('insert into event_identities_moved select unnest($1::uuid[])', [
    toUuids(moved),
  ]);
  assert.deepEqual(await replica.store.events.append([batchOf(spaceId, numbered(1, 6))]), {
    stored: 3,
  });
  assert.deepEqual(await replica.store.events.append([moved]), { stored: 0 });
  assert.deepEqual(await idsOf(replica.store.events, { spaceId }), ['e1', 'e2', 'e6']);
});

test('removes all events of a deleted space', options, async () => {
  await using replica = await openReplica();
  const { events } = replica.store;
  const [spaceId, other] = [await replica.addSpace(), await replica.addSpace()];
  const batch = (id: string, at: number) => ({
    ...batchOf(id, numbered(at * 100 + 1, at * 100 + 100)),
    feedsKnowledge: true,
  });
  for (let at = 0; at < 120; at += 1) await events.append([batch(spaceId, at)]);
  await events.append([batch(other, 0)]);
  await replica.store.db.deleteFrom('spaces').where('id', '=', spaceId).execute();
  events.removeSpace(spaceId);
  const tables = ['event_heads', 'event_batches', 'event_identities', 'event_knowledge_batches'];
  const left = async () => {
    const counts = tables.map((table) => `select space_id::text from ${table}`).join(' union all ');
    const { rows } = await replica.others.run(
      `select space_id, count(*) as count from (${counts}) as every group by space_id`,
    );
    return rows;
  };
  await until(async () => (await left()).length === 1);
  assert.deepEqual(await left(), [{ space_id: other, count: 103 }]);
});

test('reads a long feed of small batches completely', options, async () => {
  await using replica = await openReplica();
  const { events } = replica.store;
  const spaceId = await replica.addSpace();
  const sent = numbered(1, 700);
  for (const event of sent) await events.append([batchOf(spaceId, [event])]);
  const ids = sent.map(({ id }) => id);
  for (const limit of [1000, 700, 300, 256, 255])
    assert.deepEqual(await idsOf(events, { spaceId, limit }), ids);
  assert.deepEqual(await idsOf(events, { spaceId, type: 'none' }), []);
  assert.deepEqual(await idsOf(events, { spaceId, type: 'order.placed' }), ids);
});

test('excess reads of one space do not delay another space', options, async () => {
  await using replica = await openReplica();
  const { events } = replica.store;
  const [spaceId, other] = [await replica.addSpace(), await replica.addSpace()];
  await events.append([batchOf(spaceId, numbered(1, 5)), batchOf(other, numbered(1, 5))]);
  const pages = Promise.allSettled(
    Array.from({ length: 100 }, () => events.read({ spaceId, after: 0, limit: 5 })),
  );
  const page = await events.read({ spaceId: other, after: 0, limit: 5 });
  assert.equal(page.events.length, 5);
  const refused = (await pages).filter(({ status }) => status === 'rejected');
  assert.ok(refused.length > 0 && refused.length < 50, `${refused.length}`);
});

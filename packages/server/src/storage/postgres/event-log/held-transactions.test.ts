import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { StorageUnavailable } from '../../../lib/threads/storage-errors.ts';
import { batchOf, idsOf, numbered } from '../../ports/event-batch.suite.ts';
import { openReplica, toUuids } from './replica.suite.ts';

const options = { skip: postgresIsMissing };
const events = numbered(1, 10);
const ids = events.map(({ id }) => id);

test('a consumer never skips events whose transaction commits late', options, async () => {
  await using replica = await openReplica();
  const { events: store } = replica.store;
  const [spaceId, other] = [await replica.addSpace(), await replica.addSpace()];
  await store.append([batchOf(spaceId, numbered(1, 2))]);
  // Simulates the append of another replica that has not committed yet.
  const late = batchOf(spaceId, numbered(3, 5));
  await using transaction = await replica.begin();
  await transaction.run(
    'insert into event_identities select $1, identity from unnest($2::uuid[]) as identity',
    [spaceId, toUuids(late)],
  );
  await transaction.run(
    'update event_heads set last_position = last_position + 3 where space_id = $1',
    [spaceId],
  );
  await transaction.run(
    "insert into event_batches select $1, 5, 3, 1, 'none', '', $2, $3 from event_heads where space_id = $1",
    [spaceId, Buffer.from(late.ends.buffer), late.texts],
  );
  const behind = store.append([batchOf(spaceId, numbered(6, 7))]);
  // After this pause, the next append belongs to a separate group.
  await sleep(20);
  assert.deepEqual(await store.append([batchOf(other, events)]), { stored: 10 });
  const page = await store.read({ spaceId, after: 0, limit: 100 });
  assert.deepEqual([page.events.length, page.through, page.more], [2, 2, false]);
  assert.equal(await store.newest(spaceId), 2);
  await transaction.run('commit');
  assert.deepEqual(await behind, { stored: 2 });
  assert.deepEqual(await idsOf(store, { spaceId, after: page.through }), [
    'e3',
    'e4',
    'e5',
    'e6',
    'e7',
  ]);
});

for (const [outcome, stored] of [
  ['commit', 7],
  ['rollback', 8],
] as const)
  test(
    `an append waits for the ${outcome} of another transaction that stores the same event`,
    options,
    async () => {
      await using replica = await openReplica();
      const spaceId = await replica.addSpace();
      await using transaction = await replica.begin();
      await transaction.run(
        'insert into event_identities select $1, identity from unnest($2::uuid[]) as identity',
        [spaceId, toUuids(batchOf(spaceId, numbered(4, 4)))],
      );
      const appended = replica.store.events.append([batchOf(spaceId, numbered(1, 8))]);
      await sleep(100);
      assert.deepEqual(await idsOf(replica.store.events, { spaceId }), []);
      await transaction.run(outcome);
      assert.deepEqual(await appended, { stored });
      const kept = await idsOf(replica.store.events, { spaceId });
      assert.equal(kept.includes('e4'), outcome === 'rollback');
      assert.equal(kept.length, stored);
    },
  );

for (const held of ['head', 'identity'] as const)
  test(`a lock on one space's ${held} row makes only that space unavailable`, options, async () => {
    await using replica = await openReplica();
    const { events: store } = replica.store;
    const [spaceId, ...others] = [
      await replica.addSpace(),
      await replica.addSpace(),
      await replica.addSpace(),
    ];
    await store.append([batchOf(spaceId, numbered(100, 100))]);
    await using transaction = await replica.begin();
    if (held === 'head')
      await transaction.run('select 1 from event_heads where space_id = $1 for update', [spaceId]);
    else
      await transaction.run(
        'insert into event_identities select $1, identity from unnest($2::uuid[]) as identity',
        [spaceId, toUuids(batchOf(spaceId, numbered(5, 5)))],
      );
    const append = (id: string) => store.append([batchOf(id, events)]);
    // The first group contains the appends of all spaces.
    const [first, ...rest] = await Promise.allSettled([spaceId, ...others].map(append));
    assert.ok(first?.status === 'rejected' && first.reason instanceof StorageUnavailable);
    assert.deepEqual(
      rest.map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
    // The blocked space is now written separately, one append at a time.
    let isPending = true;
    const attempt = append(spaceId)
      .catch((error: unknown) => error)
      .finally(() => {
        isPending = false;
      });
    await assert.rejects(append(spaceId), StorageUnavailable);
    for (const id of others)
      assert.deepEqual(await store.append([batchOf(id, numbered(11, 20))]), { stored: 10 });
    assert.ok(isPending, 'other spaces proceed while the blocked append is pending');
    assert.ok((await attempt) instanceof StorageUnavailable);
    await transaction.run('rollback');
    assert.deepEqual(await append(spaceId), { stored: 10 });
    assert.deepEqual(await append(spaceId), { stored: 0 });
    assert.deepEqual(await idsOf(store, { spaceId, after: 1 }), ids);
  });

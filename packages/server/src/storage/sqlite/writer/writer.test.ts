import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SEED } from '@gatehouse/filter/tests/campaign';
import { sql } from 'kysely';
import { seeded } from '../../../../tests/support/seeded.ts';
import { StorageUnavailable, UniqueViolation } from '../../../lib/threads/storage-errors.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import { batchOf, idsOf, numbered } from '../../ports/event-batch.suite.ts';
import type { EventBatch } from '../../ports/event-store.ts';
import type { Store } from '../../ports/store.ts';
import { openDatabase } from '../open-database.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';

const MIB = 1024 * 1024;
const isOverloaded = (error: unknown) =>
  error instanceof StorageUnavailable && error.reason === 'overloaded';

test('a statement that violates a unique key does not affect concurrent statements', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const ids = ['a', 'b', 'a', 'c', 'b', 'd'];
  const results = await Promise.allSettled(ids.map((id) => addSpace(store, id)));
  assert.deepEqual(
    results.map((result) => result.status === 'fulfilled'),
    [true, true, false, true, false, true],
  );
  for (const result of results)
    if (result.status === 'rejected') assert.ok(result.reason instanceof UniqueViolation);
  const rows = await store.db.selectFrom('spaces').select('id').orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['a', 'b', 'c', 'd'],
  );
});

test('an invalid statement does not affect concurrent statements', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const wrong = [
    sql`insert into nowhere values (1)`.execute(store.db),
    sql`insert into spaces (id) values (${Symbol('x')})`.execute(store.db),
    sql`insert into spaces (id, name, created_at) values ('n', null, 1)`.execute(store.db),
  ];
  const results = await Promise.allSettled([addSpace(store, 'a'), ...wrong, addSpace(store, 'b')]);
  assert.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    [true, false, false, false, true],
  );
});

test('writeAtomically stores all writes or none and does not affect concurrent writes', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const insert = (id: string) =>
    store.db.insertInto('spaces').values({ id, name: id, created_at: 1 });
  const nowhere = { compile: () => sql`insert into nowhere values (1)`.compile(store.db) };
  const rename = store.db.updateTable('spaces').set({ name: 'renamed' }).where('id', '=', 'b');
  await addSpace(store, 'a');
  const results = await Promise.allSettled([
    store.writeAtomically([insert('b'), rename]),
    store.writeAtomically([insert('c'), rename, insert('a'), insert('d')]),
    store.writeAtomically([insert('e'), nowhere]),
    addSpace(store, 'f'),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    [true, false, false, true],
  );
  assert.ok(results[1]?.status === 'rejected' && results[1].reason instanceof UniqueViolation);
  const rows = await store.db.selectFrom('spaces').select(['id', 'name']).orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id, name }) => `${id} ${name}`),
    ['a a', 'b renamed', 'f f'],
  );
});

test('failed writes affect no other write of their group, in this and in later groups', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const insert = (id: string) =>
    store.db.insertInto('spaces').values({ id, name: id, created_at: 1 });
  await addSpace(store, 'taken');
  for (let group = 0; group < 3; group += 1) {
    // The writes wait for the transaction and then form one group.
    const { writes } = await store.db.transaction().execute(async (trx) => {
      await trx.selectFrom('spaces').select('id').execute();
      return {
        writes: [
          store.writeAtomically([insert(`a${group}`), insert(`b${group}`)]),
          store.writeAtomically([insert(`lost${group}`), insert('taken')]),
          store.events.append([batchOf('taken', numbered(group * 2 + 1, group * 2 + 2))]),
          store.writeAtomically([insert(`c${group}`)]),
        ],
      };
    });
    const results = await Promise.allSettled(writes);
    assert.deepEqual(
      results.map(({ status }) => status === 'fulfilled'),
      [true, false, true, true],
    );
  }
  const rows = await store.db.selectFrom('spaces').select('id').orderBy('id').execute();
  assert.equal(rows.map(({ id }) => id).join(' '), 'a0 a1 a2 b0 b1 b2 c0 c1 c2 taken');
  const { events } = await store.events.read({ spaceId: 'taken', after: 0, limit: 100 });
  assert.equal(events.length, 6);
});

test('a write is readable as soon as it is acknowledged', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const one = async (id: string) => {
    await addSpace(store, id);
    return store.db.selectFrom('spaces').select('id').where('id', '=', id).executeTakeFirst();
  };
  const ids = numbered(1, 200).map(({ id }) => id);
  assert.deepEqual(
    (await Promise.all(ids.map(one))).map((row) => row?.id),
    ids,
  );
});

test('a transaction that throws is rolled back, and later writes succeed', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const failed = store.db.transaction().execute(async (trx) => {
    await trx.insertInto('spaces').values({ id: 'a', name: 'a', created_at: 1 }).execute();
    throw new Error('failure of the caller');
  });
  const after = addSpace(store, 'b');
  await assert.rejects(failed, /failure of the caller/);
  await after;
  const rows = await store.db.selectFrom('spaces').select('id').execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['b'],
  );
});

test('a failed statement inside a transaction does not end the transaction', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  await store.db.transaction().execute(async (trx) => {
    const add = (id: string) =>
      trx.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
    await add('a');
    await assert.rejects(add('a'), UniqueViolation);
    await add('b');
  });
  assert.equal((await store.db.selectFrom('spaces').select('id').execute()).length, 2);
});

test('until a transaction is committed, its writes are visible only inside the transaction', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const count = async (db: typeof store.db) =>
    (await db.selectFrom('spaces').select('id').execute()).length;
  await store.db.transaction().execute(async (trx) => {
    await trx.insertInto('spaces').values({ id: 'a', name: 'a', created_at: 1 }).execute();
    assert.deepEqual([await count(trx), await count(store.db)], [1, 0]);
  });
  assert.equal(await count(store.db), 1);
});

test('a transaction can run queries concurrently', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const ids = await store.db.transaction().execute((trx) =>
    Promise.all(
      ['a', 'b', 'c'].map(async (id) => {
        await trx.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
        return id;
      }),
    ),
  );
  const rows = await store.db.selectFrom('spaces').select('id').orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids,
  );
});

test('a full queue rejects all kinds of writes and does not grow', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'), { queueBytes: 2 * MIB });
  const { writer } = opened;
  await writer.statement('create table t (v text)', []);
  const transaction = await writer.begin();
  const waiting: Promise<unknown>[] = [];
  const long = 'x'.repeat(100_000);
  for (let tries = 0; tries < 200; tries += 1) {
    const write = writer.statement('insert into t values (?)', [long]);
    write.catch(() => {});
    waiting.push(write);
    assert.ok(writer.waitingBytes <= 2 * MIB);
  }
  await assert.rejects(writer.append([batchOf('s', numbered(1, 1000))]), isOverloaded);
  await transaction.commit();
  const results = await Promise.allSettled(waiting);
  const rejected = results.filter((result) => result.status === 'rejected');
  assert.ok(rejected.length > 170 && rejected.length < 185, `${rejected.length} rejected`);
  assert.ok(rejected.every(({ reason }) => isOverloaded(reason)));
  assert.equal(writer.waitingBytes, 0);
  const { rows } = await writer.statement('select count(*) as n from t', []);
  assert.equal(rows[0]?.['n'], results.length - rejected.length);
});

function largeBatch(spaceId: string, id: string) {
  return batchOf(spaceId, [{ id, data: 'x'.repeat(MIB) }]);
}

/** Returns a function that appends a batch, and the spaces of the appended batches in the order of their acknowledgement. */
function appending(store: Store) {
  const done: string[] = [];
  const append = async (batch: EventBatch) => {
    await store.events.append([batch]);
    done.push(batch.spaceId);
  };
  return { done, append };
}

test('writes of a space that fills the queue are rejected, and other spaces can still write', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path, { queueBytes: 16 * MIB });
  for (const id of ['noisy', 'quiet', 'other']) await addSpace(store, id);
  const writes: Promise<unknown>[] = [];
  const rejections: string[] = [];
  const append = (spaceId: string, id: string) => {
    const write = store.events.append([largeBatch(spaceId, id)]).catch((error) => {
      assert.ok(isOverloaded(error), String(error));
      rejections.push(spaceId);
    });
    writes.push(write);
  };
  await store.db.transaction().execute(async (trx) => {
    await trx.insertInto('spaces').values({ id: 'a', name: 'a', created_at: 1 }).execute();
    for (let number = 0; number < 30; number += 1) append('noisy', String(number));
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.ok(
      rejections.length >= 30 - 12 && rejections.length < 30,
      `${rejections.length} rejected`,
    );
    for (const space of ['quiet', 'other']) append(space, 'one');
    writes.push(addSpace(store, 'b'));
  });
  await Promise.all(writes);
  assert.deepEqual(new Set(rejections), new Set(['noisy']));
});

test('a space’s events are in the next group even if another space has a long queue', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  for (const id of ['noisy', 'quiet']) await addSpace(store, id);
  const { done, append } = appending(store);
  await store.db.transaction().execute(async (trx) => {
    await trx.insertInto('spaces').values({ id: 'a', name: 'a', created_at: 1 }).execute();
    const noisy = Array.from({ length: 20 }, (_, number) =>
      append(largeBatch('noisy', String(number))),
    );
    void Promise.all([...noisy, append(largeBatch('quiet', 'one'))]).catch(() => {});
  });
  while (done.length < 21) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(done.indexOf('quiet') < 6, done.join(' '));
});

test('each space’s events keep their order, whether their writes join a running group or wait', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const spaces = ['a', 'b', 'c', 'd'];
  for (const id of spaces) await addSpace(store, id);
  const random = seeded(SEED);
  const sent = new Map(spaces.map((id) => [id, [] as string[]]));
  const writes: Promise<unknown>[] = [];
  for (let number = 0; number < 400; number += 1) {
    const space = random.pick(spaces);
    const id = String(number);
    // Writes of more than 64 KiB do not join.
    const data = 'x'.repeat(random.below(3) === 0 ? random.below(300_000) : random.below(500));
    writes.push(store.events.append([batchOf(space, [{ id, data }])]));
    sent.get(space)?.push(id);
    if (random.below(20) === 0) writes.push(addSpace(store, `new-${id}`));
    const pause = random.below(8);
    if (pause === 0) await Promise.race(writes.slice(-3));
    else if (pause < 4) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await Promise.all(writes);
  for (const space of spaces)
    assert.deepEqual(
      await idsOf(store.events, { spaceId: space }),
      sent.get(space),
      `seed ${SEED}`,
    );
});

test('a small write of another space does not wait until a running group has been committed', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  for (const id of ['noisy', 'quiet']) await addSpace(store, id);
  const { done, append } = appending(store);
  // Each of these writes is a group, because no group has more than 4 MiB.
  const noisy = [1, 2, 3].map((id) =>
    batchOf('noisy', [{ id: String(id), data: 'x'.repeat(4 * MIB) }]),
  );
  const quiet = batchOf('quiet', numbered(1, 1));
  const writes = noisy.map(append);
  // The writer requests a group in microtasks and sends it in the next turn. In the same turn, no reply can arrive.
  for (let microtask = 0; microtask < 20; microtask += 1) await null;
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(done.length, 0);
  await Promise.all([...writes, append(quiet)]);
  // A write that waits would be behind the second write.
  assert.equal(done.indexOf('quiet'), 1, done.join(' '));
});

test('waiting transactions count towards the queue limit', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'), { queueBytes: 100_000 });
  const { writer } = opened;
  const first = await writer.begin();
  const waiting = Array.from({ length: 100 }, () => writer.begin());
  const ended = Promise.allSettled(
    waiting.map(async (transaction) => (await transaction).commit()),
  );
  await first.commit();
  const rejected = (await ended).filter(({ status }) => status === 'rejected');
  assert.ok(rejected.length > 70 && rejected.length < 80, `${rejected.length} rejected`);
  assert.equal(writer.waitingBytes, 0);
});

test('an empty queue accepts a write that exceeds its limit', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'), { queueBytes: 1000 });
  await opened.writer.statement('create table t (v text)', []);
  await opened.writer.statement('insert into t values (?)', ['x'.repeat(5000)]);
});

test('closing the writer finishes all queued writes and transactions', async () => {
  using directory = temporaryDirectory();
  const store = await openStore(directory.path);
  await addSpace(store, 's');
  const events = numbered(1, 40).map((event) => ({ ...event, data: 'x'.repeat(50_000) }));
  const writes: Promise<unknown>[] = [];
  for (let batch = 0; batch < 24; batch += 1) {
    const sent = events.map((event) => ({ ...event, id: `${batch}-${event.id}` }));
    writes.push(store.events.append([batchOf('s', sent)]));
    if (batch % 8 === 0)
      writes.push(
        store.db.transaction().execute((trx) =>
          trx
            .insertInto('spaces')
            .values({ id: `t${batch}`, name: '', created_at: 1 })
            .execute(),
        ),
      );
  }
  // Kysely requests the transactions in microtasks.
  await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await store[Symbol.asyncDispose]();
  const results = await Promise.allSettled(writes);
  assert.deepEqual(
    results.filter(({ status }) => status === 'rejected'),
    [],
  );

  await using reopened = await openStore(directory.path);
  assert.equal((await reopened.db.selectFrom('spaces').select('id').execute()).length, 4);
  const page = await reopened.events.read({ spaceId: 's', after: 24 * 40 - 1, limit: 5 });
  assert.deepEqual([page.events.length, page.through, page.more], [1, 960, false]);
});

test('appending a view of a larger buffer does not detach the buffer', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  await addSpace(store, 's');
  const batch = batchOf('s', numbered(1, 3));
  const larger = new Uint8Array(batch.texts.length + 10);
  larger.set(batch.texts, 5);
  const texts = larger.subarray(5, 5 + batch.texts.length);
  assert.deepEqual(await store.events.append([{ ...batch, texts }]), { stored: 3 });
  assert.equal(larger.length, batch.texts.length + 10);
  const appended = batchOf('s', numbered(4, 5));
  await store.events.append([appended]);
  await assert.rejects(store.events.append([appended]), TypeError);
});

test('batches of one call can share a buffer', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  await addSpace(store, 's');
  await addSpace(store, 't');
  const batch = batchOf('s', numbered(1, 3));
  const twin = { ...batch, spaceId: 't', identities: batchOf('t', numbered(1, 3)).identities };
  assert.deepEqual(await store.events.append([batch, twin]), { stored: 6 });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { addSpace } from '../../ports/add-space.suite.ts';
import { batchOf, numbered } from '../../ports/event-batch.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';

const FILE = 'gatehouse.db';

function inDatabase<T>(directory: string, work: (db: DatabaseSync) => T): T {
  using db = new DatabaseSync(join(directory, FILE));
  return work(db);
}

const segments = (directory: string) =>
  inDatabase(directory, (db) => db.prepare('select state from identity_segments').all());

test('ignores duplicates of events whose identities are in segments, before and after a restart', async () => {
  using directory = temporaryDirectory();
  const batch = (number: number) => batchOf('s', numbered(number * 1000, number * 1000 + 999));
  const numbers = Array.from({ length: 120 }, (_, number) => number);
  const stored = async (store: Awaited<ReturnType<typeof openStore>>) => {
    const answers = await Promise.all(numbers.map((n) => store.events.append([batch(n)])));
    return answers.reduce((sum, answer) => sum + answer.stored, 0);
  };
  {
    await using store = await openStore(directory.path);
    await addSpace(store, 's');
    assert.equal(await stored(store), 120_000);
    assert.equal(await stored(store), 0);
  }
  assert.ok(segments(directory.path).length >= 1);
  await using store = await openStore(directory.path);
  assert.equal(await stored(store), 0);
});

test('maintenance does not run between the statements of a transaction', async () => {
  using directory = temporaryDirectory();
  await (await openStore(directory.path))[Symbol.asyncDispose]();
  // Deleting this many blocks takes longer than the test, so maintenance always has work to do.
  const garbage =
    "insert into identity_segments (block_bits, count, through_batch, state) values (22, 1, 0, 'garbage')";
  inDatabase(directory.path, (db) => {
    for (let segment = 0; segment < 20; segment += 1) db.exec(garbage);
  });
  await using store = await openStore(directory.path);
  for (let round = 0; round < 20; round += 1) {
    await store.db.transaction().execute(async (trx) => {
      for (const step of ['a', 'b', 'c']) {
        const id = `${round}${step}`;
        await trx.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
        await setTimeout(1);
      }
    });
  }
  assert.equal((await store.db.selectFrom('spaces').select('id').execute()).length, 60);
  assert.ok(segments(directory.path).length > 0, 'maintenance finished too early for this test');
});

test('removes incomplete segments after a restart without waiting for a request', async () => {
  using directory = temporaryDirectory();
  await (await openStore(directory.path))[Symbol.asyncDispose]();
  const building =
    "insert into identity_segments (block_bits, count, through_batch, state) values (8, 1, 0, 'building')";
  inDatabase(directory.path, (db) => db.exec(building));
  await using _store = await openStore(directory.path);
  for (let tries = 0; segments(directory.path).length > 0 && tries < 200; tries += 1)
    await setTimeout(10);
  assert.deepEqual(segments(directory.path), []);
});

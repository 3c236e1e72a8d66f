import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';

const MIB = 1024 * 1024;
/** The size at which a checkpoint is due, and one more write. */
const MAX_LOG_BYTES = 10 * MIB;

const space = (id: string) => ({
  id,
  name: randomBytes(MIB / 2).toString('base64'),
  created_at: 1,
});

test('the log stays small while the writer is busy', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  for (let written = 0; written < 60; written += 1)
    await store.db
      .insertInto('spaces')
      .values(space(`space ${written}`))
      .execute();
  const { size } = statSync(join(directory.path, 'gatehouse.db-wal'));
  assert.ok(size < MAX_LOG_BYTES, `the log has ${size} bytes`);
});

test('after a large transaction or a long read, all data is kept if the store is closed at once', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.db');
  const errors: unknown[] = [];
  const open = () => openStore(directory.path, { onError: (error) => errors.push(error) });
  {
    await using store = await open();
    using reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('begin; select 1 from spaces');
    for (let written = 0; written < 60; written += 1)
      await store.db
        .insertInto('spaces')
        .values(space(`space ${written}`))
        .execute();
    reader.exec('rollback');
    assert.ok(statSync(`${file}-wal`).size > 35 * MIB);
  }
  {
    await using store = await open();
    await store.db.transaction().execute(async (trx) => {
      for (let written = 0; written < 60; written += 1)
        await trx
          .insertInto('spaces')
          .values(space(`another space ${written}`))
          .execute();
    });
    await store.db.insertInto('spaces').values(space('last')).execute();
  }
  await using store = await open();
  const spaces = await store.db.selectFrom('spaces').select('id').execute();
  assert.equal(spaces.length, 121);
  assert.ok(statSync(file).size > 80 * MIB);
  assert.deepEqual(errors, []);
});

test('the pages of a large transaction are copied to the database after its commit', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  await store.db.transaction().execute(async (trx) => {
    for (let written = 0; written < 30; written += 1)
      await trx
        .insertInto('spaces')
        .values(space(`space ${written}`))
        .execute();
  });
  // The writer runs the checkpoint before it handles this statement.
  await store.db.insertInto('spaces').values({ id: 'last', name: 'last', created_at: 1 }).execute();
  const file = join(directory.path, 'gatehouse.db');
  assert.ok(statSync(file).size > 15 * MIB);
  using db = new DatabaseSync(file);
  const { log } = db.prepare('pragma wal_checkpoint(noop)').get() ?? {};
  assert.ok(Number(log) < 100, `the log has ${String(log)} pages`);
});

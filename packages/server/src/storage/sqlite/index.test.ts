import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/storage-errors.ts';
import { addSpace } from '../ports/add-space.suite.ts';
import { lockDirectory } from './directory-lock.ts';
import { openDatabase } from './open-database.suite.ts';
import { openStore, temporaryDirectory } from './open-store.suite.ts';

test('an opening that fails lets go of the directory and leaves no thread behind', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.db');
  {
    await using opened = openDatabase(file);
    await opened.writer.statement('create table migrations (name text, applied_at text)', []);
    await opened.writer.statement("insert into migrations values ('9999-later', '')", []);
  }
  await assert.rejects(openStore(directory.path), { name: 'NewerSchema' });
  lockDirectory(directory.path)[Symbol.dispose]();
  assert.ok(!process.getActiveResourcesInfo().includes('MessagePort'));
});

test('a file that is no database is refused, with the reason, and lets go of the directory', async () => {
  using directory = temporaryDirectory();
  writeFileSync(
    join(directory.path, 'gatehouse.db'),
    'not a database, but long enough '.repeat(99),
  );
  await assert.rejects(openStore(directory.path), /not a database/);
  lockDirectory(directory.path)[Symbol.dispose]();
});

test('the files of the store are for its owner alone', async () => {
  using directory = temporaryDirectory();
  await using _store = await openStore(directory.path);
  for (const name of ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.db-shm'])
    assert.equal(statSync(join(directory.path, name)).mode & 0o077, 0, name);
});

test('a closed store refuses writes, and can be closed twice', async () => {
  using directory = temporaryDirectory();
  const store = await openStore(directory.path);
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await assert.rejects(addSpace(store, 's'), StorageUnavailable);
  await assert.rejects(store.events.read({ spaceId: 's', after: 0, limit: 1 }), /closed/);
});

test('the store answers its check while it is open', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  store.check();
  assert.equal(store.waitingBytes(), 0);
});

import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/storage-errors.ts';
import { addSpace } from '../ports/add-space.suite.ts';
import { lockDirectory } from './directory-lock.ts';
import { openDatabase } from './open-database.suite.ts';
import { openStore, temporaryDirectory } from './open-store.suite.ts';

test('if opening a store fails, the directory is released and all threads end', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gatehouse.db');
  const before = countMessagePorts();
  {
    await using opened = openDatabase(file);
    await opened.writer.statement('create table migrations (name text, applied_at text)', []);
    await opened.writer.statement("insert into migrations values ('9999-later', '')", []);
  }
  await assert.rejects(openStore(directory.path), { name: 'NewerSchema' });
  lockDirectory(directory.path)[Symbol.dispose]();
  assert.equal(countMessagePorts(), before);
});

function countMessagePorts(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
}

test('rejects a file that is not a database and releases the directory', async () => {
  using directory = temporaryDirectory();
  writeFileSync(
    join(directory.path, 'gatehouse.db'),
    'not a database, but long enough '.repeat(99),
  );
  await assert.rejects(openStore(directory.path), /not a database/);
  lockDirectory(directory.path)[Symbol.dispose]();
});

test('only the owner can read and write the files of the store', async () => {
  using directory = temporaryDirectory();
  await using _store = await openStore(directory.path);
  for (const name of ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.db-shm'])
    assert.equal(statSync(join(directory.path, name)).mode & 0o077, 0, name);
});

test('a closed store rejects reads and writes and can be closed again', async () => {
  using directory = temporaryDirectory();
  const store = await openStore(directory.path);
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await assert.rejects(addSpace(store, 's'), StorageUnavailable);
  await assert.rejects(store.events.read({ spaceId: 's', after: 0, limit: 1 }), /closed/);
});

test('`check` succeeds for an open store', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  store.check();
  assert.equal(store.waitingBytes(), 0);
});

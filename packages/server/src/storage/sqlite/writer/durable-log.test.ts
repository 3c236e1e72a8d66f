import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { DurableLog } from './durable-log.ts';

/** https://www.sqlite.org/rescode.html#ioerr_fsync */
const SYNC_FAILED = { errcode: 1034 };

test('after a failed sync, the log is written again with the same bytes, also while a reader uses an old snapshot', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (1)');
  const reader = openForReading(file);
  reader.exec('begin');
  reader.prepare('select * from t').all();
  // More than a megabyte, so that the log has several chunks.
  db.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
    insert into t select randomblob(10000) from n`);
  const log = new DurableLog(db, file);
  log.ensure();
  log.failed(SYNC_FAILED);
  const [bytes, { mtimeMs }] = [readFileSync(`${file}-wal`), statSync(`${file}-wal`)];
  log.ensure();
  assert.ok(statSync(`${file}-wal`).mtimeMs > mtimeMs);
  assert.deepEqual(readFileSync(`${file}-wal`), bytes);
  assert.equal(reader.prepare('select count(*) as n from t').get()?.['n'], 1);
  assert.equal(db.prepare('select count(*) as n from t').get()?.['n'], 301);
  reader.close();
  db.close();
});

test('the log is written only once, until a sync fails', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (1)');
  const log = new DurableLog(db, file);
  log.ensure();
  const { mtimeMs } = statSync(`${file}-wal`);
  log.ensure();
  log.failed(new Error('a constraint'));
  log.ensure();
  assert.equal(statSync(`${file}-wal`).mtimeMs, mtimeMs);
  db.close();
});

test('writes are refused until the log can be written', () => {
  using directory = temporaryDirectory();
  const db = openForWriting(join(directory.path, 'log.db'));
  const file = join(directory.path, 'other.db');
  const log = new DurableLog(db, file);
  mkdirSync(`${file}-wal`);
  assert.throws(
    () => log.ensure(),
    (error) => error instanceof StorageUnavailable && /EISDIR/.test(String(error.cause)),
  );
  assert.equal(db.isTransaction, false);
  rmSync(`${file}-wal`, { recursive: true });
  log.ensure();
  db.close();
});

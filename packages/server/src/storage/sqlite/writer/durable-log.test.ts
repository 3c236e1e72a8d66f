import assert from 'node:assert/strict';
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { DurableLog } from './durable-log.ts';

const OWNER = { fd: null, onLost: assert.ifError };

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
  const log = new DurableLog(db, file, OWNER);
  log.ensure();
  log.failed(SYNC_FAILED);
  const bytes = readFileSync(`${file}-wal`);
  utimesSync(`${file}-wal`, 0, 0);
  log.ensure();
  assert.ok(statSync(`${file}-wal`).mtimeMs > 0);
  assert.deepEqual(readFileSync(`${file}-wal`), bytes);
  assert.equal(count(reader), 1);
  assert.equal(count(db), 301);
  reader.close();
  db.close();
});

test('the log is written only once, until a sync fails', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (1)');
  const log = new DurableLog(db, file, OWNER);
  log.ensure();
  utimesSync(`${file}-wal`, 0, 0);
  log.ensure();
  log.failed(new Error('a constraint'));
  log.ensure();
  assert.equal(statSync(`${file}-wal`).mtimeMs, 0);
  db.close();
});

test('after a failed sync, a checkpoint copies all pages again, also those that an earlier checkpoint copied without a sync', () => {
  using directory = temporaryDirectory();
  const { file, db, log } = openLog(directory.path);
  const pages = () => ({ ...db.prepare('pragma wal_checkpoint(noop)').get() });
  db.exec('create table t (a); insert into t values (1)');
  const reader = openForReading(file);
  reader.exec('begin');
  assert.equal(count(reader), 1);
  db.exec('insert into t values (2)');
  db.exec('pragma wal_checkpoint(passive)');
  assert.deepEqual(pages(), { busy: 0, log: 4, checkpointed: 3 });
  log.failed(SYNC_FAILED);
  log.ensure();
  assert.deepEqual(pages(), { busy: 0, log: 4, checkpointed: 0 });
  assert.equal(count(reader), 1);
  db.exec('insert into t values (3)');
  db.exec('pragma busy_timeout = 0');
  assert.equal(log.truncate(), false);
  reader.exec('commit');
  assert.equal(count(reader), 3);
  assert.equal(log.truncate(), true);
  assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
  reader.close();
  db.close();
});

test('if a reader keeps a checkpoint from copying the whole log, the database is synced nevertheless', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  // No file has this descriptor, so each sync fails.
  const log = new DurableLog(db, file, { ...OWNER, fd: 2 ** 31 - 1 });
  db.exec('create table t (a); insert into t values (1); pragma busy_timeout = 0');
  const reader = openForReading(file);
  reader.exec('begin');
  assert.equal(count(reader), 1);
  db.exec('insert into t values (2)');
  assert.throws(() => log.truncate(), /EBADF/);
  // The failed sync makes SQLite copy the same pages again.
  assert.throws(() => log.truncate(), /EBADF/);
  reader.exec('commit');
  assert.equal(log.truncate(), true);
  assert.equal(count(reader), 2);
  reader.close();
  db.close();
});

test('if the operating system dropped a part of the log, nothing is written or copied any more', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  const lost: string[] = [];
  const onLost = ({ message }: Error) => lost.push(message);
  const log = new DurableLog(db, file, { fd: null, onLost });
  db.exec('create table t (a); insert into t values (1)');
  // Without this reader, closing the database would run a checkpoint.
  const reader = openForReading(file);
  assert.equal(count(reader), 1);
  log.ensure();
  const bytes = readFileSync(`${file}-wal`);
  truncateSync(`${file}-wal`, bytes.length - 100);
  log.failed(SYNC_FAILED);
  assert.throws(() => log.ensure(), StorageUnavailable);
  assert.match(lost[0] ?? '', /dropped a part of the write-ahead log/);
  assert.throws(() => log.truncate(), StorageUnavailable);
  writeFileSync(`${file}-wal`, bytes);
  log.ensure();
  assert.equal(log.truncate(), true);
  db.close();
  reader.close();
});

test('a small log is not copied, and a large one is', () => {
  using directory = temporaryDirectory();
  const { file, db, log } = openLog(directory.path);
  db.exec('create table t (a)');
  log.checkpoint();
  assert.ok(statSync(file).size < 100_000);
  db.exec('begin');
  db.exec('insert into t values (zeroblob(9000000))');
  log.checkpoint();
  db.exec('commit');
  assert.ok(statSync(file).size < 100_000);
  log.checkpoint();
  assert.ok(statSync(file).size > 9_000_000);
  db.close();
});

test('a log is copied from 2 MiB per millisecond of a commit on', () => {
  const isCopied = (bytes: number, commitMs: number) => {
    using directory = temporaryDirectory();
    const { db, log } = openLog(directory.path);
    db.exec(`create table t (a); insert into t values (zeroblob(${bytes}))`);
    const copied = log.checkpoint(commitMs);
    db.close();
    return copied;
  };
  for (const commitMs of [0, 0.9]) {
    assert.equal(isCopied(1_900_000, commitMs), false);
    assert.equal(isCopied(2_200_000, commitMs), true);
  }
  assert.equal(isCopied(5_800_000, 3), false);
  assert.equal(isCopied(6_400_000, 3), true);
  assert.equal(isCopied(9_000_000, 100), true);
});

test('writes are refused until the log can be written', () => {
  using directory = temporaryDirectory();
  const { file, db, log } = openLog(directory.path);
  db.exec('create table t (a)');
  // SQLite keeps using the open file.
  renameSync(`${file}-wal`, `${file}-moved`);
  mkdirSync(`${file}-wal`);
  assert.throws(
    () => log.ensure(),
    (error) => error instanceof StorageUnavailable && /EISDIR/.test(String(error.cause)),
  );
  assert.equal(db.isTransaction, false);
  rmSync(`${file}-wal`, { recursive: true });
  renameSync(`${file}-moved`, `${file}-wal`);
  log.ensure();
  db.close();
});

test('an operator command neither runs a checkpoint nor judges the log', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (zeroblob(9000000))');
  const pages = () => ({ ...db.prepare('pragma wal_checkpoint(noop)').get() });
  const before = pages();
  const command = new DurableLog(db, file, null);
  assert.equal(command.checkpoint(), false);
  command.ensure();
  assert.deepEqual(pages(), before);
  db.close();
});

test('an operator command writes nothing if a part of the log is lost', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (zeroblob(9000000))');
  const bytes = readFileSync(`${file}-wal`);
  const changed = Buffer.from(bytes);
  changed.writeUInt8(1, 5_000_000);
  writeFileSync(`${file}-wal`, changed);
  const command = new DurableLog(db, file, null);
  assert.throws(() => command.ensure(), StorageUnavailable);
  assert.ok(readFileSync(`${file}-wal`).equals(changed));
  writeFileSync(`${file}-wal`, bytes);
  utimesSync(`${file}-wal`, 0, 0);
  command.ensure();
  assert.ok(statSync(`${file}-wal`).mtimeMs > 0);
  assert.ok(readFileSync(`${file}-wal`).equals(bytes));
  db.close();
});

function openLog(directory: string) {
  const file = join(directory, 'log.db');
  const db = openForWriting(file);
  return { file, db, log: new DurableLog(db, file, OWNER) };
}

function count(db: DatabaseSync): unknown {
  return db.prepare('select count(*) as n from t').get()?.['n'];
}

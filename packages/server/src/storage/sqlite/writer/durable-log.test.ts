import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
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
import { setTimeout as sleep } from 'node:timers/promises';
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
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  const log = new DurableLog(db, file, OWNER);
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
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  const log = new DurableLog(db, file, OWNER);
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

test('another thread copies a very large log while the writer commits', async () => {
  using directory = temporaryDirectory();
  const { file, db, pages, copied, owner } = openLargeLog(directory.path);
  const fd = openSync(file, 'r+');
  const log = new DurableLog(db, file, { ...owner, fd });
  const before = pages().log;
  const reader = openForReading(file);
  reader.exec('begin');
  assert.equal(count(reader), 1);
  assert.equal(log.checkpoint(), false);
  assert.equal(log.isCopying, true);
  db.exec('insert into t values (1)');
  assert.equal(log.checkpoint(), false);
  assert.equal(log.truncate(), false);
  assert.equal(await copied, null);
  assert.equal(log.isCopying, false);
  assert.equal(pages().checkpointed, before);
  assert.equal(count(reader), 1);
  reader.close();
  assert.equal(log.truncate(), true);
  assert.equal(count(db), 2);
  log.close();
  closeSync(fd);
});

test('the file of a very large log is shortened in steps', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  const log = new DurableLog(db, file, OWNER);
  db.exec('create table t (a); insert into t values (zeroblob(350000000))');
  const sizes = [0, 1, 2, 3].map(() => {
    log.checkpoint();
    const { size } = statSync(`${file}-wal`);
    db.exec('insert into t values (zeroblob(9000000))');
    return Math.round(size / 1024 / 1024);
  });
  db.close();
  const [first = 0, ...others] = sizes;
  assert.ok(first > 330);
  assert.deepEqual(others, [first - 128, first - 256, 64]);
});

test('if another thread cannot sync the database, all pages of the log are copied again', async () => {
  using directory = temporaryDirectory();
  const { file, db, pages, copied, owner } = openLargeLog(directory.path);
  // No file has this descriptor, so each sync fails.
  const log = new DurableLog(db, file, { ...owner, fd: 2 ** 31 - 1 });
  const reader = openForReading(file);
  reader.exec('begin');
  assert.equal(count(reader), 1);
  assert.equal(log.checkpoint(), false);
  db.exec('insert into t values (1)');
  assert.match(String(await copied), /EBADF/);
  assert.equal(pages().checkpointed, 0);
  utimesSync(`${file}-wal`, 0, 0);
  log.ensure();
  assert.ok(statSync(`${file}-wal`).mtimeMs > 0);
  assert.equal(log.checkpoint(), false);
  assert.equal(log.isCopying, false);
  reader.close();
  // A failed checkpoint is tried again after a second, by the writer itself.
  await sleep(1100);
  assert.equal(log.checkpoint(), true);
  assert.equal(pages().checkpointed, pages().log);
  assert.equal(count(db), 2);
  db.close();
});

test('writes are refused after a failed sync until another thread has copied the log', async () => {
  using directory = temporaryDirectory();
  const { file, db, copied, owner } = openLargeLog(directory.path);
  const fd = openSync(file, 'r+');
  const log = new DurableLog(db, file, { ...owner, fd });
  assert.equal(log.checkpoint(), false);
  log.failed(SYNC_FAILED);
  assert.throws(
    () => log.ensure(),
    (error) =>
      error instanceof StorageUnavailable && /during a checkpoint/.test(String(error.cause)),
  );
  assert.equal(await copied, null);
  log.ensure();
  log.close();
  closeSync(fd);
});

test('while the database is being closed, no other thread copies the log', () => {
  using directory = temporaryDirectory();
  const { file, db, owner } = openLargeLog(directory.path);
  const fd = openSync(file, 'r+');
  const log = new DurableLog(db, file, { ...owner, fd });
  log.stopCopying();
  assert.equal(log.truncate(), true);
  assert.equal(log.isCopying, false);
  assert.equal(statSync(`${file}-wal`).size, 0);
  log.close();
  closeSync(fd);
});

test('writes are refused until the log can be written', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  const log = new DurableLog(db, file, OWNER);
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

/** Opens a database with a log of more than 32 MiB. */
function openLargeLog(directory: string) {
  const file = join(directory, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (zeroblob(40000000))');
  const { promise: copied, resolve: onCopied } = Promise.withResolvers<unknown>();
  const pages = () => {
    const { log, checkpointed } = db.prepare('pragma wal_checkpoint(noop)').get() ?? {};
    return { log: Number(log), checkpointed: Number(checkpointed) };
  };
  return { file, db, pages, copied, owner: { ...OWNER, onCopied } };
}

function count(db: DatabaseSync): unknown {
  return db.prepare('select count(*) as n from t').get()?.['n'];
}

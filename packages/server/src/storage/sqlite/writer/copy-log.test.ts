import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import type { LogToCopy } from './copy-log.ts';
import { DurableLog } from './durable-log.ts';

/** https://www.sqlite.org/rescode.html#ioerr_fsync */
const SYNC_FAILED = { errcode: 1034 };

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
  assert.equal(pages().log, before + 1, 'a commit syncs the log');
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
  const { file, db, owner } = openLargeLog(directory.path, 350_000_000);
  const log = new DurableLog(db, file, owner);
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

test('the other thread waits for the end of a transaction of the writer, however long it takes', async () => {
  using directory = temporaryDirectory();
  const { file, db } = openLargeLog(directory.path);
  const writer = openForWriting(file);
  const [fd, indexFd] = [openSync(file, 'r+'), openSync(`${file}-shm`, 'r+')];
  const reader = openForReading(file);
  reader.exec('begin');
  assert.equal(count(reader), 1);
  writer.exec('insert into t values (1); begin immediate');
  // In the thread, ten minutes pass between two readings of the clock.
  const clock = 'let now = 0; performance.now = () => (now += 600_000)';
  const thread = new Worker(new URL('./copy-log-thread.ts', import.meta.url), {
    workerData: { file, fd, indexFd } satisfies LogToCopy,
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(clock)}`],
  });
  // The last message and the end of a thread can arrive together.
  const [result, ended] = [once(thread, 'message'), once(thread, 'exit')];
  const copiedPages = () =>
    Number(db.prepare('pragma wal_checkpoint(noop)').get()?.['checkpointed']);
  while (copiedPages() === 0) await sleep(5);
  await sleep(50);
  writer.exec('rollback');
  const [copied] = await result;
  assert.equal(copied.ok, true, JSON.stringify(copied));
  assert.equal(copiedPages(), copied.copied);
  await ended;
  for (const open of [reader, writer, db]) open.close();
  for (const open of [fd, indexFd]) closeSync(open);
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

/** Opens a database with a log of more than 32 MiB. */
function openLargeLog(directory: string, bytes = 40_000_000) {
  const file = join(directory, 'log.db');
  const db = openForWriting(file);
  db.exec(`create table t (a); insert into t values (zeroblob(${bytes}))`);
  const { promise: copied, resolve: onCopied } = Promise.withResolvers<unknown>();
  const pages = () => {
    const { log, checkpointed } = db.prepare('pragma wal_checkpoint(noop)').get() ?? {};
    return { log: Number(log), checkpointed: Number(checkpointed) };
  };
  return { file, db, pages, copied, owner: { fd: null, onLost: assert.ifError, onCopied } };
}

function count(db: DatabaseSync): unknown {
  return db.prepare('select count(*) as n from t').get()?.['n'];
}

import assert from 'node:assert/strict';
import { readFileSync, statSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { LogIndex } from './log-index.ts';
import { LostLog, SharedLogRepair } from './log-repair.ts';

/** Opens a database whose log has 9 MB, more than a command writes at a time. */
function openLog(directory: string) {
  const file = join(directory, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (randomblob(9000000))');
  const wasWritten = () => {
    const { mtimeMs } = statSync(`${file}-wal`);
    utimesSync(`${file}-wal`, 0, 0);
    return mtimeMs > 0;
  };
  const bytes = () => readFileSync(`${file}-wal`);
  return { log: { db, file, index: new LogIndex(`${file}-shm`) }, db, file, wasWritten, bytes };
}

test('a command writes the log again in two steps, and the service can commit between them', () => {
  using directory = temporaryDirectory();
  const { log, db, wasWritten, bytes } = openLog(directory.path);
  using repair = new SharedLogRepair(log);
  wasWritten();
  const before = bytes();
  repair.start();
  assert.ok(wasWritten());
  assert.ok(bytes().equals(before));
  db.exec('insert into t values (2)');
  assert.ok(wasWritten());
  const after = bytes();
  assert.ok(after.length > before.length);
  repair.finish();
  assert.ok(wasWritten());
  assert.ok(bytes().equals(after));
  db.close();
});

test('between the steps of a command, the log is not overwritten although all its pages are copied', () => {
  using directory = temporaryDirectory();
  const { log, db, bytes } = openLog(directory.path);
  using repair = new SharedLogRepair(log);
  repair.start();
  const before = bytes();
  assert.equal(db.prepare('pragma wal_checkpoint(passive)').get()?.['busy'], 0);
  db.exec('insert into t values (2)');
  assert.ok(bytes().subarray(0, before.length).equals(before));
  repair.finish();
  db.close();
});

test('a command finds that a part of the log is lost, in either step', () => {
  using directory = temporaryDirectory();
  const { log, db, file, bytes } = openLog(directory.path);
  // Without this reader, closing the database would run a checkpoint.
  using reader = openForReading(file);
  reader.exec('begin; select * from t');
  {
    using repair = new SharedLogRepair(log);
    repair.start();
    db.exec('insert into t values (2)');
    truncateSync(`${file}-wal`, bytes().length - 1);
    assert.throws(() => repair.finish(), LostLog);
    assert.equal(db.isTransaction, false);
  }
  using repair = new SharedLogRepair(log);
  assert.throws(() => repair.start(), LostLog);
  db.close();
});

test('if all pages of the log are copied, a command writes them in the second step', () => {
  using directory = temporaryDirectory();
  const { log, db, wasWritten } = openLog(directory.path);
  db.exec('pragma wal_checkpoint(passive)');
  using repair = new SharedLogRepair(log);
  wasWritten();
  repair.start();
  assert.ok(!wasWritten());
  // SQLite overwrites the log.
  db.exec('insert into t values (2)');
  wasWritten();
  repair.finish();
  assert.ok(wasWritten());
  db.close();
});

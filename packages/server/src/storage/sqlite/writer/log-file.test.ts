import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { bytesOf, isLogComplete, rewrite } from './log-file.ts';
import { LogIndex, type LogState } from './log-index.ts';

/** https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const [LOG_HEADER, FRAME_BYTES] = [32, 24 + 8192];
/** More pages than are read at once. */
const PAGES = 300;

const frame = (index: number) => LOG_HEADER + index * FRAME_BYTES;

interface Log {
  readonly bytes: Buffer;
  readonly state: LogState;
}

function readLog(db: DatabaseSync, file: string): Log {
  const index = new LogIndex(`${file}-shm`);
  db.exec('begin immediate');
  const state = index.read();
  db.exec('rollback');
  return { bytes: readFileSync(`${file}-wal`), state };
}

/** Creates a database with a log of many pages. */
function openWithLog(file: string): DatabaseSync {
  const db = openForWriting(file);
  db.exec('create table t (a)');
  const insert = db.prepare('insert into t values (zeroblob(8000))');
  while (readLog(db, file).state.pages < PAGES) insert.run();
  return db;
}

test('a log is complete if all its pages are as SQLite wrote them', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log');
  const database = join(directory.path, 'log.db');
  const db = openWithLog(database);
  const log = readLog(db, database);
  db.exec('insert into t values (1)');
  const longer = readLog(db, database);
  db.close();
  const isComplete = (change: (copy: Buffer) => Buffer, state = log.state) => {
    writeFileSync(file, change(Buffer.from(log.bytes)));
    return isLogComplete(file, state);
  };
  const flipped = (at: number) => (copy: Buffer) => {
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };

  assert.equal(log.bytes.length, frame(log.state.pages));
  assert.ok(isComplete((copy) => copy));
  assert.ok(
    isComplete((copy) => Buffer.concat([copy, Buffer.alloc(FRAME_BYTES, 7)])),
    'pages of an earlier log follow',
  );
  assert.ok(!isComplete(flipped(frame(200) + 5000)), 'a page');
  assert.ok(!isComplete(flipped(frame(log.state.pages) - 1)), 'the last byte');
  assert.ok(!isComplete(flipped(frame(7))), 'the number of a page');
  assert.ok(!isComplete(flipped(frame(7) + 9)), 'a salt of a page');
  assert.ok(!isComplete(flipped(17)), 'a salt of the log');
  assert.ok(!isComplete((copy) => copy.subarray(0, frame(130) - 1)));
  assert.ok(!isComplete((copy) => copy.fill(0, frame(128), frame(129))));
  assert.ok(!isComplete((copy) => copy.subarray(0, 10)));
  assert.ok(!isComplete((copy) => copy, longer.state), 'the last page is missing');
  assert.ok(isComplete((copy) => copy.subarray(0, 0), { ...log.state, pages: 0 }));
});

test('pages that were verified before are not read again', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log');
  const database = join(directory.path, 'log.db');
  const db = openWithLog(database);
  const { state: start } = readLog(db, database);
  db.exec('insert into t values (1)');
  const { bytes, state } = readLog(db, database);
  db.close();
  assert.equal(bytesOf(start), frame(start.pages));
  assert.equal(bytesOf({ ...start, pages: 0 }), 0);
  const isComplete = (flipped: number, from: LogState) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(flipped) ^ 1, flipped);
    writeFileSync(file, copy);
    return isLogComplete(file, state, from);
  };
  assert.ok(isComplete(frame(7) + 100, start));
  assert.ok(!isComplete(frame(7) + 100, { ...start, pages: 0 }));
  assert.ok(!isComplete(frame(start.pages) + 100, start));
  assert.ok(!isComplete(17, start), 'another log');
});

test('a log with other valid pages of the same length is not complete', () => {
  using directory = temporaryDirectory();
  const [one, other] = ['one.db', 'other.db'].map((name) => join(directory.path, name)) as [
    string,
    string,
  ];
  const db = openWithLog(one);
  for (const suffix of ['', '-wal']) copyFileSync(one + suffix, other + suffix);
  const copy = openForWriting(other);
  db.exec('insert into t values (1)');
  copy.exec('insert into t values (2)');
  const [log, otherLog] = [readLog(db, one), readLog(copy, other)];
  assert.equal(log.state.pages, otherLog.state.pages);
  assert.deepEqual(log.state.salts, otherLog.state.salts);
  assert.ok(isLogComplete(`${one}-wal`, log.state));
  assert.ok(isLogComplete(`${other}-wal`, otherLog.state));
  assert.ok(!isLogComplete(`${one}-wal`, otherLog.state));
  assert.ok(!isLogComplete(`${other}-wal`, log.state));
  db.close();
  copy.close();
});

test('a file is written again with the same bytes', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log');
  for (const size of [0, 10, 1024 * 1024, 3 * 1024 * 1024 + 5]) {
    const bytes = Buffer.alloc(size, 'abcdefg');
    writeFileSync(file, bytes);
    rewrite(file);
    assert.ok(readFileSync(file).equals(bytes));
    rewrite(file, 5, size / 2);
    assert.ok(readFileSync(file).equals(bytes));
  }
});

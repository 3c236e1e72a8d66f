import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { rewriteLog } from './rewrite-log.ts';

/** https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const [LOG_HEADER, FRAME_BYTES] = [32, 24 + 8192];
const PAGES = 300;

test('counts the pages before the first one that is not as SQLite wrote it', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a)');
  // More pages than are rewritten at once.
  const insert = db.prepare('insert into t values (zeroblob(8000))');
  while (pagesOf(db.prepare('pragma wal_checkpoint(noop)').get()) < PAGES) insert.run();
  const pages = pagesOf(db.prepare('pragma wal_checkpoint(noop)').get());
  const bytes = readFileSync(`${file}-wal`);
  db.close();

  const log = join(directory.path, 'log');
  const completeIn = (change: (copy: Buffer) => Buffer) => {
    const changed = change(Buffer.from(bytes));
    writeFileSync(log, changed);
    const complete = rewriteLog(log);
    assert.ok(readFileSync(log).equals(changed), 'the bytes are the same afterwards');
    return complete;
  };
  const flipped = (at: number) => (copy: Buffer) => {
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };
  const frame = (index: number) => LOG_HEADER + index * FRAME_BYTES;

  assert.equal(bytes.length, frame(pages));
  assert.equal(
    completeIn((copy) => copy),
    pages,
  );
  assert.equal(completeIn(flipped(frame(200) + 5000)), 200);
  assert.equal(completeIn(flipped(frame(7))), 7, 'the number of the page');
  assert.equal(completeIn(flipped(frame(7) + 9)), 7, 'a salt of an earlier log');
  assert.equal(
    completeIn((copy) => copy.subarray(0, frame(130) - 1)),
    129,
  );
  assert.equal(
    completeIn((copy) => copy.fill(0, frame(128), frame(129))),
    128,
  );
  assert.equal(
    completeIn((copy) => copy.subarray(0, frame(0))),
    0,
  );
  assert.equal(completeIn(flipped(0)), 0, 'not a log');
  assert.equal(completeIn(flipped(20)), 0, 'a damaged header');
  assert.equal(
    completeIn((copy) => copy.subarray(0, 10)),
    0,
  );
});

function pagesOf(row: Readonly<Record<string, unknown>> | undefined): number {
  return Number(row?.['log']);
}

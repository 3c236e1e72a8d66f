import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { openForReading, openForWriting } from '../connection.ts';
import { temporaryDirectory } from '../open-store.suite.ts';
import { DurableLog } from './durable-log.ts';

/** https://www.sqlite.org/rescode.html#ioerr_fsync */
const SYNC_FAILED = { errcode: 1034 };

/** Runs a checkpoint in another connection. It waits for the readers, and meanwhile no other checkpoint can run. */
function truncateLog(file: string): Worker {
  const source = `
    const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(${JSON.stringify(file)});
    db.exec('pragma busy_timeout = 60000; pragma wal_checkpoint(truncate)');
  `;
  return new Worker(source, { eval: true });
}

test('a failed sync is not regarded as repeated while another connection runs a checkpoint', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'log.db');
  const db = openForWriting(file);
  db.exec('create table t (a); insert into t values (1)');
  const reader = openForReading(file);
  reader.exec('begin');
  reader.prepare('select * from t').all();
  db.exec('insert into t values (2)');
  const log = new DurableLog(db);
  log.failed(SYNC_FAILED);
  const other = truncateLog(file);
  const ended = new Promise((resolve) => other.once('exit', resolve));
  const checkpoint = db.prepare('pragma wal_checkpoint(passive)');
  while (checkpoint.get()?.['busy'] === 0) await sleep(5);
  assert.throws(
    () => log.ensure(),
    (error) =>
      error instanceof StorageUnavailable && /running a checkpoint/.test(String(error.cause)),
  );
  reader.close();
  await ended;
  log.ensure();
  db.close();
});

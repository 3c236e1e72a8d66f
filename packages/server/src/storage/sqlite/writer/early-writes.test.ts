import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openDatabase } from '../open-database.suite.ts';
import { temporaryDirectory } from '../open-store.suite.ts';

/** Starts 50 writes of a row each. Asserts that `expected` rows are committed while the event loop is busy. */
async function assertCommittedMeanwhile(bytes: number, expected: number): Promise<void> {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'a.db');
  await using opened = openDatabase(file);
  const { writer } = opened;
  await writer.statement('create table t (v text)', []);
  await new Promise<void>((resolve) => setImmediate(resolve));
  using reader = new DatabaseSync(file, { readOnly: true });
  const query = reader.prepare('select count(*) as n from t');
  const count = () => Number(query.get()?.['n']);
  const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const value = 'x'.repeat(bytes);
  const started = Array.from({ length: 50 }, () =>
    writer.statement('insert into t values (?)', [value]),
  );
  for (let tries = 0; tries < 400 && count() < expected; tries += 1) pause(50);
  // Time for commits that should not happen.
  pause(300);
  assert.equal(count(), expected);
  await Promise.all(started);
  assert.equal(count(), 50);
}

test('if 16 writes are waiting, they are sent although the event loop is busy, and 16 small writes follow them', async () => {
  await assertCommittedMeanwhile(10, 32);
});

test('large writes follow a running group only when it has been committed', async () => {
  await assertCommittedMeanwhile(10_000, 16);
});

test('a transaction waits for writes that were sent early, and later writes wait for the transaction', async () => {
  using directory = temporaryDirectory();
  await using opened = openDatabase(join(directory.path, 'a.db'));
  const { writer } = opened;
  await writer.statement('create table t (v text)', []);
  const insert = (value: string) => writer.statement('insert into t values (?)', [value]);
  const sixteen = (value: string) => Array.from({ length: 16 }, () => insert(value));
  for (let round = 0; round < 5; round += 1) {
    const before = sixteen('before');
    await new Promise<void>((resolve) => setImmediate(resolve));
    const begun = writer.begin();
    const after = [...sixteen('after'), ...sixteen('after')];
    const transaction = await begun;
    const { rows } = await transaction.run('select count(*) as n from t', []);
    const seen = Number(rows[0]?.['n']) - round * 48;
    assert.ok(seen === 16 || seen === 32 || seen === 48, `${seen} rows`);
    await Promise.all(before);
    await transaction.run('insert into t values (?)', ['inside']);
    await transaction.rollBack();
    await Promise.all(after);
  }
  const { rows } = await writer.statement('select v, count(*) as n from t group by v', []);
  assert.deepEqual(
    rows.map((row) => [row['v'], row['n']]),
    [
      ['after', 160],
      ['before', 80],
    ],
  );
});

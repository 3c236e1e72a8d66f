import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { until } from '../../../tests/support/until.ts';
import { newJob, noted } from '../ports/leases.suite.ts';
import { newDatabase } from './database.suite.ts';
import { openStore } from './open-store.suite.ts';

test('a replica that is suspended during a transaction keeps neither its job nor its locks', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newDatabase();
  await using store = await openStore(url, { onError: () => {} });
  const program = `${import.meta.dirname}/hold-transaction.suite.ts`;
  const suspended = spawn(process.execPath, [program, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  using _ = { [Symbol.dispose]: () => void suspended.kill('SIGKILL') };
  const lines = createInterface(suspended.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'inside');
  suspended.kill('SIGSTOP');

  const notes: string[] = [];
  await using job = noted(store.leases, newJob(), notes);
  await job.start();
  await until('another replica holds the job', () => notes.length > 0);
  const space = { id: 'a', name: 'of another replica', created_at: 1 };
  await store.db.insertInto('spaces').values(space).execute();

  suspended.kill('SIGCONT');
  assert.equal((await lines.next()).value, 'StorageUnavailable');
  const stored = await store.db.selectFrom('spaces').select('name').execute();
  assert.deepEqual(stored, [{ name: 'of another replica' }]);
});

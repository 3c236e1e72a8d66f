import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leasesSuite } from '../ports/leases.suite.ts';
import { createLeases } from './leases.ts';
import { openStore, temporaryDirectory } from './open-store.suite.ts';

leasesSuite('SQLite', false, async () => {
  const directory = temporaryDirectory();
  const store = await openStore(directory.path);
  return {
    ...store,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
});

test('`start` rejects if the work of a job fails to start', async () => {
  const job = createLeases().job('broken', () => Promise.reject(new Error('fails to start')));
  await assert.rejects(job.start(), /fails to start/);
});

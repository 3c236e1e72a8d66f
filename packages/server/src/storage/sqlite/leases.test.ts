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

test('work that cannot begin keeps the embedded store’s process from starting', async () => {
  const job = createLeases().job('broken', () => Promise.reject(new Error('cannot begin')));
  await assert.rejects(job.start(), /cannot begin/);
});

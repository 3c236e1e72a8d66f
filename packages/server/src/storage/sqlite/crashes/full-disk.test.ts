import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StorageUnavailable } from '../../../lib/threads/storage-errors.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import { batchOf, idsOf, numbered, type SentEvent } from '../../ports/event-batch.suite.ts';
import type { SqliteStore as Store } from '../index.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';

const MIB = 1024 * 1024;

/** Mounts a file system of 8 MiB. Returns null if the user has no permission to mount. */
function smallDisk(): (Disposable & { readonly path: string }) | null {
  const directory = temporaryDirectory();
  const { path } = directory;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    directory[Symbol.dispose]();
    return null;
  }
  return {
    path,
    [Symbol.dispose]: () => {
      execFileSync('umount', ['--lazy', path]);
      directory[Symbol.dispose]();
    },
  };
}

const isUnwritable = (error: unknown) =>
  error instanceof StorageUnavailable && error.reason === 'unwritable';

/** Returns 1,056 characters that compress to three quarters. */
const randomText = (seed: string): string =>
  Array.from({ length: 12 }, (_, part) => hash('sha512', `${seed} ${part}`, 'base64')).join('');

const batchNumber = (batch: number): SentEvent[] =>
  numbered(1, 50, `${batch}-`).map((event) => ({ ...event, data: randomText(event.id) }));

async function appendUntilRejected(store: Store, from: number): Promise<number> {
  for (let batch = from; batch < from + 1000; batch += 1) {
    try {
      await store.events.append([batchOf('s', batchNumber(batch))]);
    } catch (error) {
      assert.ok(isUnwritable(error), String(error));
      return batch;
    }
  }
  return assert.fail('the disk did not become full');
}

test('a store on a full disk rejects writes, keeps acknowledged events, and recovers', async (t) => {
  using disk = smallDisk();
  if (disk === null) {
    t.skip('NOT PROVEN HERE: mounting a file system requires root');
    return;
  }
  const ballast = join(disk.path, 'ballast');
  writeFileSync(ballast, Buffer.alloc(3 * MIB));
  /** A checkpoint needs space too. If it fails, the events stay in the log. */
  const onError = (error: unknown) => assert.ok(isUnwritable(error), String(error));
  await using store = await openStore(disk.path, { onError });
  await addSpace(store, 's');

  const rejected = await appendUntilRejected(store, 0);
  assert.ok(rejected > 5, `${rejected} batches fit`);
  const acknowledged = Array.from({ length: rejected }, (_, batch) => batchNumber(batch)).flat();
  const expected = acknowledged.map(({ id }) => id);
  assert.deepEqual(await idsOf(store.events, { spaceId: 's' }), expected);

  const concurrent = [1, 2, 3].map((n) =>
    store.events.append([batchOf('s', batchNumber(rejected + n))]),
  );
  for (const result of await Promise.allSettled(concurrent))
    assert.ok(result.status === 'rejected' && isUnwritable(result.reason));

  // The transaction is so large that the disk becomes full and SQLite rolls it back.
  const transaction = store.db.transaction().execute(async (trx) => {
    const add = (id: string, bytes: number) =>
      trx
        .insertInto('spaces')
        .values({ id, name: 'x'.repeat(bytes), created_at: 1 })
        .execute();
    let failed = 0;
    for (let row = 0; row < 20; row += 1) await add(`row-${row}`, MIB).catch(() => (failed += 1));
    assert.ok(failed > 0, 'no statement failed on the full disk');
    rmSync(ballast);
    await assert.rejects(add('after the rollback', 1), isUnwritable);
  });
  await assert.rejects(transaction, isUnwritable);
  const spaces = await store.db.selectFrom('spaces').select('id').execute();
  assert.deepEqual(
    spaces.map(({ id }) => id),
    ['s'],
  );

  for (let batch = rejected; batch < rejected + 4; batch += 1)
    assert.deepEqual(await store.events.append([batchOf('s', batchNumber(batch))]), { stored: 50 });
  assert.deepEqual(await store.events.append([batchOf('s', batchNumber(0))]), { stored: 0 });
  await addSpace(store, 't');
  const all = Array.from({ length: rejected + 4 }, (_, batch) => batchNumber(batch)).flat();
  assert.deepEqual(
    await idsOf(store.events, { spaceId: 's' }),
    all.map(({ id }) => id),
  );
});

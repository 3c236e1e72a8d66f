import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StorageUnavailable } from '../../../lib/threads/storage-errors.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import { batchOf, idsOf, numbered, type SentEvent } from '../../ports/event-batch.suite.ts';
import type { SqliteStore as Store } from '../index.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';

const MIB = 1024 * 1024;

/** A directory on a disk of its own of 8 MiB; null when this user may not mount one. */
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

const batchNumber = (batch: number): SentEvent[] =>
  numbered(1, 50, `${batch}-`).map((event) => ({ ...event, data: 'x'.repeat(1000) }));

/** Appends batches, from this number on, until one is refused; gives the number of that one. */
async function appendUntilRefused(store: Store, from: number): Promise<number> {
  for (let batch = from; batch < from + 1000; batch += 1) {
    try {
      await store.events.append([batchOf('s', batchNumber(batch))]);
    } catch (error) {
      assert.ok(isUnwritable(error), String(error));
      return batch;
    }
  }
  return assert.fail('the disk never filled up');
}

test('a full disk refuses writes, keeps what was acknowledged, and recovers', async (t) => {
  using disk = smallDisk();
  if (disk === null) {
    t.skip('NOT PROVEN HERE: mounting a small disk needs root');
    return;
  }
  const ballast = join(disk.path, 'ballast');
  writeFileSync(ballast, Buffer.alloc(3 * MIB));
  await using store = await openStore(disk.path);
  await addSpace(store, 's');

  const refused = await appendUntilRefused(store, 0);
  assert.ok(refused > 5, `${refused} batches fitted`);
  const acknowledged = Array.from({ length: refused }, (_, batch) => batchNumber(batch)).flat();
  const expected = acknowledged.map(({ id }) => id);
  assert.deepEqual(await idsOf(store.events, { spaceId: 's' }), expected);

  // Together, so that they are one group; each is refused.
  const together = [1, 2, 3].map((n) =>
    store.events.append([batchOf('s', batchNumber(refused + n))]),
  );
  for (const result of await Promise.allSettled(together))
    assert.ok(result.status === 'rejected' && isUnwritable(result.reason));

  // So long that SQLite finds the disk full in the middle, and ends the transaction by itself.
  const transaction = store.db.transaction().execute(async (trx) => {
    const add = (id: string, bytes: number) =>
      trx
        .insertInto('spaces')
        .values({ id, name: 'x'.repeat(bytes), created_at: 1 })
        .execute();
    let failed = 0;
    for (let row = 0; row < 20; row += 1) await add(`row-${row}`, MIB).catch(() => (failed += 1));
    assert.ok(failed > 0, 'a statement found the disk full');
    rmSync(ballast);
    await assert.rejects(add('after the transaction was lost', 1), isUnwritable);
  });
  await assert.rejects(transaction, isUnwritable);
  const spaces = await store.db.selectFrom('spaces').select('id').execute();
  assert.deepEqual(
    spaces.map(({ id }) => id),
    ['s'],
  );

  for (let batch = refused; batch < refused + 4; batch += 1)
    assert.deepEqual(await store.events.append([batchOf('s', batchNumber(batch))]), { stored: 50 });
  assert.deepEqual(await store.events.append([batchOf('s', batchNumber(0))]), { stored: 0 });
  await addSpace(store, 't');
  const all = Array.from({ length: refused + 4 }, (_, batch) => batchNumber(batch)).flat();
  assert.deepEqual(
    await idsOf(store.events, { spaceId: 's' }),
    all.map(({ id }) => id),
  );
});

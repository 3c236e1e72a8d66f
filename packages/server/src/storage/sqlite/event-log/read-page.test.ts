import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { addSpace } from '../../ports/add-space.suite.ts';
import { batchOf, numbered } from '../../ports/event-batch.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';
import { createPageReader } from './read-page.ts';

/** Stores ten batches of ten events. Batch n has receipt time n. The last event of each batch has the type `rare`. */
async function openFilled(directory: string): Promise<DatabaseSync> {
  await using store = await openStore(directory);
  await addSpace(store, 's');
  for (let batch = 0; batch < 10; batch += 1) {
    const events = numbered(batch * 10 + 1, batch * 10 + 10).map((event, index) => ({
      ...event,
      type: index === 9 ? 'rare' : 'common',
      data: 'x'.repeat(100),
    }));
    await store.events.append([batchOf('s', events, batch)]);
  }
  return new DatabaseSync(join(directory, 'gatehouse.db'));
}

test('a page ends at the limit of examined events, and the next page starts after them', async () => {
  using directory = temporaryDirectory();
  using db = await openFilled(directory.path);
  const readPage = createPageReader(db, { events: 25, bytes: Number.POSITIVE_INFINITY });
  const pages = [0, 25, 50, 75, 100].map((after) =>
    readPage({ spaceId: 's', after, limit: 100, type: 'rare' }),
  );
  assert.deepEqual(
    pages.map(({ events, through, more }) => [events.map((e) => e.position), through, more]),
    [
      [[10, 20], 25, true],
      [[30, 40, 50], 50, true],
      [[60, 70], 75, true],
      [[80, 90, 100], 100, false],
      [[], 100, false],
    ],
  );
});

test('a page ends at the byte limit, but has at least one event', async () => {
  using directory = temporaryDirectory();
  using db = await openFilled(directory.path);
  const readPage = createPageReader(db, { events: 1000, bytes: 1 });
  const page = readPage({ spaceId: 's', after: 41, limit: 100 });
  assert.deepEqual([page.events.length, page.through, page.more], [1, 42, true]);
});

test('the byte limit also counts events that do not match', async () => {
  using directory = temporaryDirectory();
  using db = await openFilled(directory.path);
  const readPage = createPageReader(db, { events: 1000, bytes: 2500 });
  const page = readPage({ spaceId: 's', after: 0, limit: 100, typePrefix: 'nothing' });
  assert.deepEqual([page.events.length, page.through, page.more], [0, 20, true]);
});

test('each skipped batch counts as one examined event', async () => {
  using directory = temporaryDirectory();
  using db = await openFilled(directory.path);
  const readPage = createPageReader(db, { events: 4, bytes: Number.POSITIVE_INFINITY });
  const skipped = readPage({ spaceId: 's', after: 0, limit: 100, from: 9 });
  assert.deepEqual([skipped.events.length, skipped.through, skipped.more], [0, 40, true]);
});

test('a page that ends early does not block a checkpoint', async () => {
  using directory = temporaryDirectory();
  using db = await openFilled(directory.path);
  createPageReader(db)({ spaceId: 's', after: 0, limit: 1 });
  await using store = await openStore(directory.path);
  await addSpace(store, 't');
  const row = db.prepare('pragma wal_checkpoint(truncate)').get();
  assert.deepEqual({ ...row }, { busy: 0, log: 0, checkpointed: 0 });
});

import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { addSpace } from '../ports/add-space.suite.ts';
import { batchOf } from '../ports/event-batch.suite.ts';
import { largeReads } from '../query-plans.suite.ts';
import { openForReading } from './connection.ts';
import { createRetention } from './event-removal.ts';
import { openStore, temporaryDirectory } from './open-store.suite.ts';
import type { Statement } from './writer/writer-messages.ts';

test('a step of retention reads only the batches that it removes', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  await store.events.append([batchOf(spaceId, [{ id: 'a' }, { id: 'b' }])]);
  const statements: Statement[] = [];
  using reader = openForReading(join(directory.path, 'gatehouse.db'));
  const writer = {
    atomically: async (given: readonly Statement[]) => void statements.push(...given),
  };
  assert.equal(await createRetention(reader, writer).removeUpTo(spaceId, 2), 2);
  assert.equal(statements.length, 4);
  const queries = statements.map(({ sql, parameters }) => ({ sql, parameters }));
  assert.deepEqual(await largeReads(store.db, queries, ['event_batches']), []);
});

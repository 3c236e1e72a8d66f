import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSpace } from '../../ports/add-space.suite.ts';
import { largeReads, recordQueries } from '../../query-plans.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';
import { createPassageIndex } from './passage-index.ts';
import { documentNumber } from './rowids.ts';

test('assigning document numbers does not use up space numbers', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { db, index } = store.knowledge;
  const next = (spaceId: string) =>
    db.transaction().execute((trx) => index.nextNumber(trx, spaceId));
  await addSpace(store, 'first');
  await addSpace(store, 'second');
  for (let ordinal = 1; ordinal <= 10; ordinal += 1)
    assert.equal(await next('first'), documentNumber(1, ordinal));
  assert.equal(await next('second'), documentNumber(2, 1));
  assert.equal(await next('third'), null, 'an unknown space got a number');
});

test('a step of the deletion of a space reads only the rows that it deletes', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { db, queries } = recordQueries(store.knowledge.db);
  const unused = () => assert.fail();
  await createPassageIndex(db, unused, unused).deleteSomeOfSpace('space');
  const tables = ['documents', 'document_values', 'document_events', 'document_versions'];
  const all = await largeReads(store.knowledge.db, queries, [
    ...tables,
    'records',
    'record_subjects',
  ]);
  assert.equal(all.length, 8);
  // A limited selection reads its first rows from an index that contains all selected columns.
  const limited = /USING (?:COVERING INDEX \w+|PRIMARY KEY) .* limit \?/s;
  for (const read of all) assert.match(read, limited);
});

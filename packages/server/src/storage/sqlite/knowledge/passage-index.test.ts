import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSpace } from '../../ports/add-space.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';
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
